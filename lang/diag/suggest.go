package diag

import (
	"sort"
	"strings"
)

// Nearest returns the candidate that word is most likely a slip of, or "".
// A slip is at most one edit in a word of up to four letters and two in a
// longer one, a swap of neighbours counting once; case counts as nothing.
func Nearest(word string, candidates []string) string {
	if len(word) > 64 {
		return ""
	}
	limit := 2
	if len(word) <= 4 {
		limit = 1
	}
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	best, bestDistance := "", limit+1
	for _, c := range sorted {
		if c == word || len(c) > 64 {
			continue
		}
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if d < bestDistance && d < len(c) {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return beginning(word, sorted)
	}
	return best
}

// beginning returns the only candidate that begins with the word, or with which the
// word begins; a beginning has three letters or more.
func beginning(word string, candidates []string) string {
	const least = 3
	found := ""
	for _, c := range candidates {
		short, long := strings.ToLower(c), strings.ToLower(word)
		if len(short) > len(long) {
			short, long = long, short
		}
		if c == word || len(c) > 64 || len(short) < least || !strings.HasPrefix(long, short) {
			continue
		}
		if found != "" {
			return ""
		}
		found = c
	}
	return found
}

// distance is the optimal string alignment distance in bytes.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
