// Package key gives everything in a run its identity: SHA-256 over
// self-delimiting parts. Equal keys mean equal things, in every process and on
// every machine: results are stored, shared and resumed by key, and every
// random draw of a run comes from one.
package key

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// Key is an identity. The zero Key belongs to nothing.
type Key [sha256.Size]byte

// ErrBadKey says that a text is not 64 hexadecimal digits.
var ErrBadKey = errors.New("a key is 64 hexadecimal digits")

// Parse reads the text form.
func Parse(s string) (Key, error) {
	var k Key
	if len(s) != 2*len(k) {
		return Key{}, ErrBadKey
	}
	if _, err := hex.Decode(k[:], []byte(s)); err != nil {
		return Key{}, ErrBadKey
	}
	return k, nil
}

// String is the text form: 64 lower-case hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Short is the first 12 digits, for people.
func (k Key) Short() string { return hex.EncodeToString(k[:6]) }

// MarshalText writes the text form.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the text form.
func (k *Key) UnmarshalText(b []byte) error {
	got, err := Parse(string(b))
	if err != nil {
		return err
	}
	*k = got
	return nil
}

// Uint64 is a uniform draw from all 64-bit numbers.
func (k Key) Uint64() uint64 { return binary.BigEndian.Uint64(k[:8]) }

// Unit is a uniform draw from [0, 1), with 53 bits.
func (k Key) Unit() float64 { return float64(k.Uint64()>>11) / (1 << 53) }
