package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The measures of a diagram, in pixels: the field where the lines are, and what is around it.
const (
	width, height           = 480, 220
	left, right, top, below = 60, 200, 34, 44
)

// colours are those of the lines of a diagram, which differ in grey as well.
var colours = []string{"#1b6ac9", "#d1721e", "#4b9b46", "#8a4fb0", "#9a2d38", "#5b5b5b"}

// draw is the figure as SVG: each line against the number of what the table is over, whose axis is logarithmic. A limit is a dashed line.
func (f *figure) draw(over string, sizes []int) []byte {
	d := drawing{over: over, sizes: sizes, most: max(f.most(), 1e-9)}
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" fill="#333">`, left+width+right, top+height+below)
	d.add(`<rect width="100%%" height="100%%" fill="#fff"/>`)
	d.add(`<text x="%d" y="18" font-size="13">%s (%s)</text>`, left, html.EscapeString(f.title), f.unit)
	d.axes()
	limits := map[float64]bool{}
	for i, l := range f.lines {
		d.line(l, colours[i%len(colours)], i)
		if l.limit > 0 && !limits[l.limit] {
			limits[l.limit] = true
			d.add(`<path d="M%d %.1fH%d" stroke="#c33" stroke-dasharray="5 4"/>`, left, d.y(l.limit), left+width)
			d.add(`<text x="%.1f" y="%.1f" fill="#c33">goal %s</text>`, left+4+70*float64(len(limits)-1), d.y(l.limit)-4, number(l.limit))
		}
	}
	d.add(`</svg>`)
	return []byte(d.String())
}

// most is the greatest value, or limit, that the figure shows.
func (f *figure) most() (most float64) {
	for _, l := range f.lines {
		most = max(most, l.limit)
		for _, p := range l.points {
			most = max(most, p.value)
		}
	}
	return most
}

// A drawing is an SVG that grows.
type drawing struct {
	strings.Builder
	over  string
	sizes []int
	most  float64
}

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// x is the place of a number of objects. Zero is a power of ten below the fewest.
func (d *drawing) x(n int) float64 {
	first, last := d.power(d.sizes[0]), d.power(d.sizes[len(d.sizes)-1])
	if first == last {
		return left + width/2
	}
	return left + width*(d.power(n)-first)/(last-first)
}

func (d *drawing) power(n int) float64 {
	if n > 0 {
		return math.Log10(float64(n))
	}
	for _, least := range d.sizes {
		if least > 0 {
			return math.Log10(float64(least)) - 1
		}
	}
	return 0
}

// y is the place of a value; the axis begins at 0.
func (d *drawing) y(v float64) float64 { return top + height*(1-v/(d.most*1.08)) }

func (d *drawing) axes() {
	d.add(`<path d="M%d %dV%dH%d" stroke="#333" fill="none"/>`, left, top, top+height, left+width)
	for _, n := range d.sizes {
		d.add(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, d.x(n), top+height+16, thousands(n))
	}
	step := math.Pow(10, math.Floor(math.Log10(d.most)))
	for d.most/step < 4 {
		step /= 2
	}
	for v := 0.0; v <= d.most; v += step {
		d.add(`<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`, left, d.y(v), left+width, left-6, d.y(v)+4, number(v))
	}
	d.add(`<text x="%d" y="%d" text-anchor="middle">%s</text>`, left+width/2, top+height+34, d.over)
}

// line draws the i-th line, with its points and its name.
func (d *drawing) line(l line, colour string, i int) {
	path := "M"
	for _, p := range l.points {
		x, y := d.x(p.n), d.y(p.value)
		d.add(`<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x, y, colour)
		path += fmt.Sprintf("%.1f %.1f ", x, y)
	}
	d.add(`<path d="%s" stroke="%s" stroke-width="1.5" fill="none"/>`, strings.TrimSpace(path), colour)
	d.add(`<text x="%d" y="%d" fill="%s">%s</text>`, left+width+12, top+12+16*i, colour, html.EscapeString(l.name))
}
