package stat

import "math"

// Kappa is Cohen's kappa of a square table of agreement, counts[i][j] how often
// one rater said i and the other j. NaN where chance alone would agree always.
func Kappa(counts [][]float64) float64 {
	var total, agree float64
	rows, cols := make([]float64, len(counts)), make([]float64, len(counts))
	for i, row := range counts {
		for j, n := range row {
			total += n
			rows[i] += n
			cols[j] += n
			if i == j {
				agree += n
			}
		}
	}
	var chance float64
	for i := range rows {
		chance += rows[i] * cols[i] / (total * total)
	}
	if chance == 1 {
		return math.NaN()
	}
	return (agree/total - chance) / (1 - chance)
}

// F1 is the harmonic mean of precision and recall of class c, rows being the
// truth and columns the judge. NaN where the class occurs in neither.
func F1(counts [][]float64, c int) float64 {
	var truth, said float64
	for i := range counts {
		truth += counts[c][i]
		said += counts[i][c]
	}
	return 2 * counts[c][c] / (truth + said)
}

// RoganGladen corrects a share p that a judge reported for the judge's
// sensitivity and specificity (Rogan and Gladen 1978), within [0, 1]. NaN where
// the judge tells the classes apart no better than chance.
func RoganGladen(p, sensitivity, specificity float64) float64 {
	power := sensitivity + specificity - 1
	if power <= 0 {
		return math.NaN()
	}
	return math.Max(0, math.Min(1, (p+specificity-1)/power))
}
