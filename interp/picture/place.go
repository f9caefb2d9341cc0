package picture

import (
	"math"
	"slices"
)

// spot is where a node stands: its middle, and how its name is written.
type spot struct {
	x, y  float64
	w, h  float64
	angle float64 // of a name that stands outside of a small node, in degrees
	small bool    // drawn as a dot with its name outside
	pile  float64 // how far a group's pile stands out
}

// Sizes of the drawing, in pixels.
const (
	charWide   = 7.3 // a letter at the size that names are written in, on average
	boxHigh    = 34
	boxPad     = 22
	columnGap  = 70
	rowGap     = 14
	dot        = 7
	fewNodes   = 12 // up to here nodes of a circle are boxes
	deepLevels = 6  // a tree of more levels is drawn as a circle
)

// place finds a spot for every node; the result is as wide and high as returned,
// from the origin.
func (pic *Picture) place() (spots []spot, width, height float64) {
	if columns := pic.levels(); columns != nil {
		spots, width, height = pic.columns(columns)
		pic.pile(spots)
		return spots, width, height
	}
	spots = make([]spot, len(pic.Nodes))
	joined, alone := pic.split()
	if len(joined) > 0 {
		width, height = pic.circle(joined, spots)
	}
	wide, high := pic.row(alone, spots, height)
	pic.pile(spots)
	return spots, max(width, wide), height + high
}

// pile leaves room for the pile that a group is drawn as.
func (pic *Picture) pile(spots []spot) {
	for i, n := range pic.Nodes {
		if n.Size > 1 {
			spots[i].pile = 8
		}
	}
}

// split tells the nodes that a link joins to another from those that none does.
func (pic *Picture) split() (joined, alone []int) {
	linked := make([]bool, len(pic.Nodes))
	for _, e := range pic.Edges {
		linked[e.From], linked[e.To] = true, true
	}
	for i := range pic.Nodes {
		if linked[i] {
			joined = append(joined, i)
		} else {
			alone = append(alone, i)
		}
	}
	return joined, alone
}

// row puts nodes without links side by side below the rest, in rows.
func (pic *Picture) row(nodes []int, spots []spot, top float64) (width, height float64) {
	const most = 640
	x, y, high := 12.0, top+12, 0.0
	for _, i := range nodes {
		w, h := boxOf(pic.Nodes[i])
		if x > 12 && x+w > most {
			x, y = 12, y+high+rowGap
		}
		high = max(high, h)
		spots[i] = spot{x: x + w/2, y: y + h/2, w: w, h: h}
		x += w + 18
		width, height = max(width, x), y+h+12-top
	}
	return width, height
}

func boxOf(n Node) (w, h float64) {
	w, h = float64(len([]rune(n.Name)))*charWide+boxPad, boxHigh
	if n.Inside {
		return max(w, 24*charWide*0.85+boxPad), boxHigh + 16
	}
	return w, h
}

// circle puts nodes on a circle in their order, the first at the top.
func (pic *Picture) circle(nodes []int, spots []spot) (width, height float64) {
	n := len(nodes)
	widest, name := 0.0, 0.0
	for _, i := range nodes {
		w, _ := boxOf(pic.Nodes[i])
		widest, name = max(widest, w), max(name, float64(len([]rune(pic.Nodes[i].Name)))*charWide)
	}
	small := n > fewNodes
	r, margin := max(90, float64(n)*(widest+24)/(2*math.Pi)), widest/2+12
	if small {
		r, margin = max(150, float64(n)*34/(2*math.Pi)), max(name+dot+18, widest/2)
	}
	for k, i := range nodes {
		turn := 2*math.Pi*float64(k)/float64(n) - math.Pi/2
		w, h := boxOf(pic.Nodes[i])
		s := spot{x: margin + r + r*math.Cos(turn), y: margin + r + r*math.Sin(turn), w: w, h: h, small: small && pic.Nodes[i].Size == 1, angle: turn * 180 / math.Pi}
		if s.small {
			s.w, s.h = 2*dot, 2*dot
		}
		spots[i] = s
	}
	return 2 * (margin + r), 2 * (margin + r)
}

// levels returns the nodes by their distance from the root where the links make
// one tree that is not too deep, else nil. The root is the node with most links.
func (pic *Picture) levels() [][]int {
	n := len(pic.Nodes)
	if n < 3 || len(pic.Edges) != n-1 {
		return nil
	}
	next := make([][]int, n)
	for _, e := range pic.Edges {
		next[e.From], next[e.To] = append(next[e.From], e.To), append(next[e.To], e.From)
	}
	root := 0
	for i := range next {
		if len(next[i]) > len(next[root]) {
			root = i
		}
	}
	if i := slices.IndexFunc(pic.Nodes, func(n Node) bool { return n.Lead }); i >= 0 {
		root = i
	} else if downward(pic.Edges, n) {
		root = pic.source()
	}
	seen := make([]bool, n)
	seen[root] = true
	out := [][]int{{root}}
	for found := 1; found < n; {
		var level []int
		for _, at := range out[len(out)-1] {
			for _, to := range next[at] {
				if !seen[to] {
					seen[to] = true
					level = append(level, to)
				}
			}
		}
		if level == nil {
			return nil // in several pieces
		}
		found += len(level)
		out = append(out, level)
	}
	if len(out) > deepLevels {
		return nil
	}
	return out
}

// downward reports that the links lead away from one node that hears nobody.
func downward(edges []Edge, n int) bool {
	heard := make([]int, n)
	for _, e := range edges {
		if e.Both {
			return false
		}
		heard[e.To]++
	}
	roots := 0
	for _, k := range heard {
		if k == 0 {
			roots++
		}
	}
	return roots == 1
}

// source is the node that hears nobody.
func (pic *Picture) source() int {
	heard := make([]bool, len(pic.Nodes))
	for _, e := range pic.Edges {
		heard[e.To] = true
	}
	return slices.Index(heard, false)
}

// columns puts each level of a tree into a column, every parent beside the
// middle of its children.
func (pic *Picture) columns(levels [][]int) (spots []spot, width, height float64) {
	spots = make([]spot, len(pic.Nodes))
	x := 12.0
	for _, level := range levels {
		wide := 0.0
		for _, i := range level {
			w, h := boxOf(pic.Nodes[i])
			spots[i].w, spots[i].h = w, h
			wide = max(wide, w)
		}
		for _, i := range level {
			spots[i].x = x + wide/2
		}
		x += wide + columnGap
	}
	depth := make([]int, len(pic.Nodes))
	for d, level := range levels {
		for _, i := range level {
			depth[i] = d
		}
	}
	y := 12.0
	var lay func(at int) float64
	lay = func(at int) float64 {
		var middles []float64
		for _, e := range pic.Edges {
			for _, to := range []int{e.From, e.To} {
				if (e.From == at || e.To == at) && to != at && depth[to] == depth[at]+1 {
					middles = append(middles, lay(to))
				}
			}
		}
		if len(middles) == 0 {
			spots[at].y = y + spots[at].h/2
			y += spots[at].h + rowGap
		} else {
			spots[at].y = (middles[0] + middles[len(middles)-1]) / 2
		}
		return spots[at].y
	}
	lay(levels[0][0])
	return spots, x - columnGap + 12, max(y, 60)
}
