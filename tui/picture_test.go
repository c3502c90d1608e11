package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/learn"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Every page has a picture at three sizes in three themes: go test ./tui -run Pictures -pictures draws them into tui/pictures.
var pictures = flag.Bool("pictures", false, "draw tui/pictures anew")

// A shot is a page as it is pictured.
type shot struct {
	name string
	page page.ID
	keys []string
}

var shots = []shot{
	{"traffic", page.Traffic, append([]string{"g"}, strings.Split(strings.Repeat("j", 11), "")...)}, {"watches", page.Watches, nil}, {"lists", page.Lists, nil}, {"versions", page.Versions, []string{"j"}},
	{"conflicts", page.Conflicts, []string{"k"}}, {"deletes", page.Deletes, nil}, {"objects", page.Objects, []string{"enter", "enter"}}, {"learn", page.Learn, nil},
	{"gate", page.Gate, nil}, {"doctor", page.Doctor, nil}, {"guards", page.Traffic, []string{"G", "enter", "z"}},
}

var (
	pictureSizes  = [][2]int{{80, 24}, {120, 36}, {200, 60}}
	pictureThemes = []string{"dark", "light", "mono"}
)

// picture draws a page after a story in which there is something to be seen on each.
func picture(s shot, theme string, w, h int) string {
	d := newDemo(flow.Limits{})
	d.story()
	d.clashes()
	d.overwrite()
	d.finalizers(2)
	d.chunks("k1", 3)
	switch {
	case s.page == page.Gate:
		d.gated()
	case s.name == "guards":
		d.guards()
	}
	c := &clockwork{noon}
	lessons := []learn.Lesson{
		{Name: "three-ways-to-write", Title: "Three ways to write", Course: "Writing", Summary: "PUT, patch and apply change one field each.", Steps: []string{"A reads it", "B patches it"}, Player: &fakePlayer{state: learn.State{Phase: learn.Idle}}},
		{Name: "lost-update", Title: "Lost update", Course: "Writing", Summary: "Two writers read one version; the second write is refused.", Steps: []string{"A reads it", "B writes", "B reads again"}, Player: &fakePlayer{state: learn.State{Phase: learn.Idle}}},
	}
	u := fullUI(Options{Log: d.log, URL: "http://127.0.0.1:8080", DB: "/data/kubarium.db", Version: "v0.1.0", NoIntro: true, Now: c.now, Lessons: lessons}, term.NewTheme(theme))
	u.API.Transport = &fakeAPI{}
	u.resize(w, h)
	if d.gate != nil {
		u.Gate.Tell(*d.gate)
	}
	u.fold()
	u.Show(s.page)
	u.settle()
	for _, k := range s.keys {
		u.view()
		u.key(k)
		u.settle()
	}
	return u.view()
}

// The pictures in the repository are of the pages as they are.
func TestPictures(t *testing.T) {
	for _, s := range shots {
		for _, theme := range pictureThemes {
			for _, size := range pictureSizes {
				name := filepath.Join("pictures", fmt.Sprintf("%s-%dx%d-%s.svg", s.name, size[0], size[1], theme))
				got := svg(picture(s, theme, size[0], size[1]), size[0], size[1], paperOf(theme))
				if *pictures || *update {
					if err := os.MkdirAll("pictures", 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					continue
				}
				if want, err := os.ReadFile(name); err != nil || string(want) != got {
					t.Errorf("%s is not as the page is (-pictures draws it anew): %v", name, err)
				}
			}
		}
	}
}

// A paper is what a terminal shows where nothing is said of colours.
type paper struct {
	back, ink string
	sixteen   [16]string
}

var (
	night = paper{"#16161c", "#d4d4d8", [16]string{"#16161c", "#d0507a", "#6fae6f", "#e0a030", "#5b8dd9", "#c878b8", "#4fb0c0", "#d4d4d8",
		"#808a96", "#e07090", "#90c890", "#f0c050", "#7fb0f0", "#e098d0", "#70d0e0", "#ffffff"}}
	day = paper{"#ffffff", "#202024", [16]string{"#000000", "#a02040", "#207040", "#906000", "#1050b0", "#802070", "#106878", "#c8c8cc",
		"#606870", "#c03050", "#309050", "#a87800", "#2060c8", "#983088", "#187888", "#ffffff"}}
)

func paperOf(theme string) paper {
	if theme == "light" {
		return day
	}
	return night
}

const cellW, cellH = 8.4, 17

// A pen is the look of the text that comes, as escape sequences have set it.
type pen struct {
	ink, back                    string
	bold, dim, underline, turned bool
}

// svg is a frame as a picture: a run of text of one look is one element, so that it can be selected and read aloud.
func svg(frame string, w, h int, p paper) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">`, float64(w)*cellW+20, h*cellH+20)
	fmt.Fprintf(&b, "\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\"/>\n", p.back)
	for y, l := range strings.Split(frame, "\n") {
		svgLine(&b, l, y, p)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func svgLine(b *strings.Builder, l string, y int, p paper) {
	var now pen
	x := 0
	for l != "" {
		if rest, ok := strings.CutPrefix(l, "\x1b["); ok {
			codes, after, _ := strings.Cut(rest, "m")
			now.set(codes, p)
			l = after
			continue
		}
		text, after, _ := strings.Cut(l, "\x1b")
		if len(text) < len(l) {
			after = "\x1b" + after
		}
		n := term.Text(term.Plain, text).Width()
		now.draw(b, text, x, y, n, p)
		x, l = x+n, after
	}
}

// set takes the parameters of a sequence that sets the look of text.
func (n *pen) set(codes string, p paper) {
	c := strings.Split(codes, ";")
	for i := 0; i < len(c); i++ {
		number := 0
		fmt.Sscan(c[i], &number) // an empty one is 0
		switch {
		case number == 0:
			*n = pen{}
		case number == 1:
			n.bold = true
		case number == 2:
			n.dim = true
		case number == 4:
			n.underline = true
		case number == 7:
			n.turned = true
		case number >= 30 && number < 38:
			n.ink = p.sixteen[number-30]
		case number >= 90 && number < 98:
			n.ink = p.sixteen[number-82]
		case number >= 40 && number < 48:
			n.back = p.sixteen[number-40]
		case number >= 100 && number < 108:
			n.back = p.sixteen[number-92]
		case (number == 38 || number == 48) && i+4 < len(c) && c[i+1] == "2":
			var rgb [3]int
			for k := range rgb {
				fmt.Sscan(c[i+2+k], &rgb[k])
			}
			colour := fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2])
			if number == 38 {
				n.ink = colour
			} else {
				n.back = colour
			}
			i += 4
		}
	}
}

func (n *pen) draw(b *strings.Builder, text string, x, y, width int, p paper) {
	ink, back := n.ink, n.back
	if ink == "" {
		ink = p.ink
	}
	if n.turned {
		ink, back = p.back, p.ink
	}
	left, top := 10+float64(x)*cellW, 10+y*cellH
	if back != "" {
		fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", left, top, float64(width)*cellW, cellH, back)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	look := ""
	if n.bold {
		look += ` font-weight="bold"`
	}
	if n.dim {
		look += ` opacity="0.6"`
	}
	if n.underline {
		look += ` text-decoration="underline"`
	}
	plain := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" fill=\"%s\"%s textLength=\"%.1f\" xml:space=\"preserve\">%s</text>\n", left, top+13, ink, look, float64(width)*cellW, plain)
}
