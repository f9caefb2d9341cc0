package stat

import "math"

// Methods of the intervals below.
const (
	MethodKappa     = "by the influence of tasks"
	MethodCorrected = "Rogan-Gladen, Lang-Reiczigel"
)

// Labelled is one run that a person and a judge put into a class, counted from 0.
type Labelled struct {
	Task          string
	Person, Judge int
}

// Agreement counts runs by the person's class (rows) and the judge's (columns).
func Agreement(list []Labelled, classes int) [][]float64 {
	counts := make([][]float64, classes)
	for i := range counts {
		counts[i] = make([]float64, classes)
	}
	for _, x := range list {
		counts[x.Person][x.Judge]++
	}
	return counts
}

// KappaOf estimates Cohen's kappa with an interval over tasks. The standard error is
// that of Fleiss, Cohen and Everitt (1969), from each run's influence
//
//	e = (1[i=j] − po)/(1 − pe) − (p_.i + p_j. − 2pe)(1 − po)/(1 − pe)²
//
// on kappa, summed within tasks: V = K/(K−1) Σ_t (Σ e)²/n², t with K − 1 degrees of
// freedom. Kappa is n/a where chance alone would agree always.
func KappaOf(list []Labelled, classes int) Estimate {
	counts := Agreement(list, classes)
	if len(list) == 0 {
		return None("no labelled run has a verdict")
	}
	kappa := Kappa(counts)
	if math.IsNaN(kappa) {
		return None("all runs are of one class, so chance alone agrees")
	}
	n := float64(len(list))
	rows, cols := make([]float64, classes), make([]float64, classes)
	var po, pe float64
	for i := range counts {
		for j, c := range counts[i] {
			rows[i] += c / n
			cols[j] += c / n
		}
		po += counts[i][i] / n
	}
	for i := range rows {
		pe += rows[i] * cols[i]
	}
	byTask := map[string]float64{}
	for _, x := range list {
		agree := 0.0
		if x.Person == x.Judge {
			agree = 1
		}
		byTask[x.Task] += (agree-po)/(1-pe) - (cols[x.Person]+rows[x.Judge]-2*pe)*(1-po)/((1-pe)*(1-pe))
	}
	k := float64(len(byTask))
	if k < 2 {
		return Bare(kappa, "one task alone has no spread")
	}
	var squares float64
	for _, e := range byTask {
		squares += e * e
	}
	half := TQuantile(1-Level/2, k-1) * math.Sqrt(k/(k-1)*squares) / n
	return Estimate{Value: kappa, Low: math.Max(-1, kappa-half), High: math.Min(1, kappa+half), Method: MethodKappa}
}

// Corrected is the share that RoganGladen makes of a judge's, with the interval of
// Lang and Reiczigel (2014): counts of the judge's verdicts by task, and the labelled
// runs in and outside of the class, of which so many the judge put there rightly.
func Corrected(verdicts []Count, inside, right, outside, rightOutside float64) Estimate {
	a, d, tasks := Totals(verdicts)
	if d == 0 {
		return None("there are no verdicts")
	}
	if inside == 0 || outside == 0 {
		return None("no label is inside, or none outside of the class")
	}
	p, n := a/d, d
	single := true
	for _, c := range verdicts {
		single = single && c.D <= 1
	}
	if !single && tasks > 1 {
		n = effective(verdicts, p, d, tasks)
	}
	value := RoganGladen(p, right/inside, rightOutside/outside)
	if math.IsNaN(value) {
		return None("the judge tells this class from the others no better than chance")
	}
	const z2 = Z * Z
	p, n = (n*p+z2/2)/(n+z2), n+z2
	se, nSe := (right+1)/(inside+2), inside+2
	sp, nSp := (rightOutside+1)/(outside+2), outside+2
	power := se + sp - 1
	if power <= 0 {
		return Bare(value, "too few labels to say how well the judge tells this class")
	}
	share := (p + sp - 1) / power
	inSe, inSp := share*se*(1-se)/nSe, (1-share)*sp*(1-sp)/nSp
	shift := 2 * z2 * (inSe - inSp)
	half := Z * math.Sqrt(p*(1-p)/n+share*inSe+(1-share)*inSp) / power
	clip := func(x float64) float64 { return math.Max(0, math.Min(1, x)) }
	return Estimate{Value: value, Low: math.Min(value, clip(share+shift-half)), High: math.Max(value, clip(share+shift+half)), Method: MethodCorrected}
}
