package sim

import (
	"parley/runtime/model"
)

// trait is a number in [0, 1) that an agent keeps throughout a trial: the
// request's user says who it is.
func trait(req *model.Request, name string) float64 {
	return unit(hashText(hashText(offset, req.User), name))
}

// event is a number in [0, 1) that belongs to one call: the request's seed says
// which.
func event(req *model.Request, name string) float64 {
	h := uint64(offset)
	for i := range 8 {
		h = (h ^ uint64(req.Seed)>>(8*i)&0xff) * prime
	}
	return unit(hashText(h, name))
}

// FNV-1a over the parts, each followed by a separator, then the finaliser of
// SplitMix64: FNV alone leaves its last bytes visible in the high bits.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

func hashText(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return (h ^ 0xff) * prime
}

func unit(h uint64) float64 {
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	h ^= h >> 31
	return float64(h>>11) / (1 << 53)
}
