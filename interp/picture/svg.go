package picture

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
)

// Sizes and colours of the drawing.
const (
	panelTop   = 84 // below title and headings
	panelGap   = 36
	rowHigh    = 30
	indent     = 20
	orderText  = 6.9 // a letter of a row, on average
	ink        = "#1f2328"
	faint      = "#59636e"
	line       = "#57606a"
	paper      = "#ffffff"
	boxFill    = "#eef4fb"
	leadFill   = "#fdf0d5"
	boxStroke  = "#3b6ea5"
	leadStroke = "#a06a00"
	struckInk  = "#b3261e"
	loopFill   = "#f6f8fa"
)

// SVG writes the picture as one file that needs nothing beside it: on the left
// who hears whom, on the right who speaks when.
func (pic *Picture) SVG(w io.Writer) error {
	spots, wide, high := pic.place()
	wide = max(wide, 260)
	var order strings.Builder
	orderWide, orderHigh := pic.drawOrder(&order, wide+2*panelGap, panelTop)
	width, height := wide+3*panelGap+orderWide, max(high+panelTop, orderHigh)+64
	width = max(width, float64(len([]rune(pic.Title)))*10+2*panelGap)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" font-family="system-ui, Segoe UI, Helvetica, Arial, sans-serif">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", escaped(pic.Title))
	fmt.Fprintf(&b, `<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" fill="%s"/></marker></defs>`+"\n", line)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="%s"/>`+"\n", paper)
	text(&b, panelGap, 34, 18, ink, "bold", pic.Title)
	text(&b, panelGap, 64, 13, faint, "normal", "who hears whom")
	text(&b, wide+2*panelGap, 64, 13, faint, "normal", "who speaks when")
	fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", panelGap, panelTop)
	for _, e := range pic.Edges {
		pic.drawEdge(&b, e, spots)
	}
	for i, n := range pic.Nodes {
		drawNode(&b, n, spots[i])
	}
	b.WriteString("</g>\n" + order.String())
	text(&b, panelGap, height-22, 12, faint, "normal", pic.legend())
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// legend explains the signs that the picture uses.
func (pic *Picture) legend() string {
	var words []string
	one, both := false, false
	for _, e := range pic.Edges {
		one, both = one || !e.Both, both || e.Both
	}
	if one {
		words = append(words, "a → b: b hears a")
	}
	if both {
		words = append(words, "a plain line: they hear each other")
	}
	for _, n := range pic.Nodes {
		if n.Lead {
			words = append(words, "yellow: the orchestrator")
			break
		}
	}
	for _, n := range pic.Nodes {
		if n.Struck {
			words = append(words, "red: attacked")
			break
		}
	}
	return strings.Join(words, " · ")
}

// drawEdge draws a link from border to border. Who hear each other are joined by
// a plain line: two tips a line hide a dense picture.
func (pic *Picture) drawEdge(b *strings.Builder, e Edge, spots []spot) {
	from, to := spots[e.From], spots[e.To]
	x1, y1 := from.border(to.x, to.y)
	x2, y2 := to.border(from.x, from.y)
	tip := ` marker-end="url(#tip)"`
	if e.Both {
		tip = ""
	}
	dense := ""
	if len(pic.Edges) > 40 {
		dense = ` stroke-opacity="0.55"`
	}
	fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="1.3"%s%s/>`+"\n", x1, y1, x2, y2, line, dense, tip)
}

// border is the point where a line towards x, y leaves the node.
func (s spot) border(x, y float64) (float64, float64) {
	dx, dy := x-s.x, y-s.y
	far := math.Hypot(dx, dy)
	if far == 0 {
		return s.x, s.y
	}
	if s.small {
		return s.x + dx/far*(dot+2), s.y + dy/far*(dot+2)
	}
	scale := math.Inf(1)
	if dx != 0 {
		scale = min(scale, (s.w/2+2+s.pile)/math.Abs(dx))
	}
	if dy != 0 {
		scale = min(scale, (s.h/2+2+s.pile)/math.Abs(dy))
	}
	scale = min(scale, 0.5)
	return s.x + dx*scale, s.y + dy*scale
}

func drawNode(b *strings.Builder, n Node, s spot) {
	fill, stroke, wide := boxFill, boxStroke, 1.4
	if n.Lead {
		fill, stroke = leadFill, leadStroke
	}
	if n.Struck {
		stroke, wide = struckInk, 3
	}
	tip := n.Name
	if n.about != "" {
		tip += ": " + n.about
	}
	fmt.Fprintf(b, "<g><title>%s</title>", escaped(tip))
	if s.small {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%d" fill="%s" stroke="%s" stroke-width="%.1f"/>`, s.x, s.y, dot, fill, stroke, wide)
		outside(b, n.Name, s)
		b.WriteString("</g>\n")
		return
	}
	if n.Size > 1 { // a group: a pile
		for _, off := range []float64{8, 4} {
			fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="7" fill="%s" stroke="%s"/>`, s.x-s.w/2+off, s.y-s.h/2-off, s.w, s.h, fill, stroke)
		}
	}
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="7" fill="%s" stroke="%s" stroke-width="%.1f"/>`, s.x-s.w/2, s.y-s.h/2, s.w, s.h, fill, stroke, wide)
	y := s.y + 4.5
	if n.Inside {
		y = s.y - 3.5
		middle(b, s.x, s.y+13, 10.5, faint, "all hear one another")
	}
	middle(b, s.x, y, 13, ink, n.Name)
	b.WriteString("</g>\n")
}

// outside writes a small node's name away from the middle of the circle, never
// upside down.
func outside(b *strings.Builder, name string, s spot) {
	angle, anchor, dx := s.angle, "start", dot+6.0
	if angle > 90 {
		angle, anchor, dx = angle-180, "end", -dx
	}
	fmt.Fprintf(b, `<text transform="translate(%.1f %.1f) rotate(%.1f)" x="%.1f" y="4" font-size="12" fill="%s" text-anchor="%s">%s</text>`, s.x, s.y, angle, dx, ink, anchor, escaped(name))
}

// drawOrder writes the turn order from x, y on, loops and choices as boxes around
// what they hold, and returns its width and where it ends.
func (pic *Picture) drawOrder(b *strings.Builder, x, y float64) (width, end float64) {
	width = 240
	for _, r := range pic.Order {
		letters := len([]rune(r.Label + r.Text + r.Note))
		width = max(width, float64(letters+9)*orderText+float64(2*r.Depth*indent)+40)
	}
	for i, r := range pic.Order {
		if !r.holds() {
			continue
		}
		inside := 1
		for i+inside < len(pic.Order) && pic.Order[i+inside].Depth > r.Depth {
			inside++
		}
		left := x + float64(r.Depth*indent)
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" fill="%s" stroke="#d1d9e0"/>`+"\n",
			left, y+float64(i*rowHigh)+float64(2*r.Depth), width-float64(2*r.Depth*indent), float64(inside*rowHigh)-4-float64(4*r.Depth), loopFill)
	}
	number := 0
	for i, r := range pic.Order {
		left, base := x+float64(r.Depth*indent)+10, y+float64(i*rowHigh)+19
		switch r.Kind {
		case Step:
			number++
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="13" fill="%s"><tspan fill="%s">%d</tspan> <tspan dx="6" font-weight="bold">%s</tspan> <tspan dx="6">%s</tspan>`, left, base, ink, faint, number, escaped(r.Label), escaped(r.Text))
			if r.Note != "" {
				fmt.Fprintf(b, ` <tspan dx="6" fill="%s" font-size="12">%s</tspan>`, faint, escaped(r.Note))
			}
			b.WriteString("</text>\n")
		case Plain:
			text(b, left, base, 12.5, faint, "normal", r.Text)
		default:
			text(b, left, base, 12.5, ink, "normal", r.Text)
		}
	}
	end = y + float64(len(pic.Order)*rowHigh)
	if pic.Limit > 0 {
		text(b, x+10, end+19, 12.5, faint, "normal", fmt.Sprintf("at most %d turns", pic.Limit))
		end += rowHigh
	}
	return width, end
}

func text(b *strings.Builder, x, y, size float64, fill, weight, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="%g" fill="%s" font-weight="%s">%s</text>`+"\n", x, y, size, fill, weight, escaped(s))
}

func middle(b *strings.Builder, x, y, size float64, fill, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="%g" fill="%s" text-anchor="middle">%s</text>`, x, y, size, fill, escaped(s))
}

// escaped makes a text stand in XML as itself.
func escaped(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return "" // a strings.Builder does not fail
	}
	return b.String()
}
