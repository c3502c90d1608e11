package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A table has a row for each line, and a diagram for each figure: well-formed XML in which the greater value is above.
func TestTable_write(t *testing.T) {
	f := figure{title: "Start & end", unit: "ms", goal: "≤ 500 ms"}
	table, folder := &table{over: "ConfigMaps"}, t.TempDir()
	for _, n := range []int{0, 1000, 1_000_000} {
		c := table.column(n)
		c.note(f, "first", 500, float64(n)/10_000)
		if n > 0 {
			c.note(f, "last", 0, 7)
		}
	}
	if err := table.write(folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "table.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| ConfigMaps | 0 | 1,000 | 1,000,000 | goal |\n",
		"| Start & end, first (ms) | 0 | 0.10 | 100 | ≤ 500 ms |\n",
		"| Start & end, last (ms) |  | 7.00 | 7.00 | ≤ 500 ms |\n",
		"![Start & end](start-end.svg)\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	svg, err := os.Open(filepath.Join(folder, "start-end.svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer svg.Close()
	for d := xml.NewDecoder(svg); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	d := drawing{sizes: table.sizes, most: 500}
	if d.y(100) >= d.y(7) || d.y(500) < top || d.x(0) != left || d.x(1_000_000) != left+width || d.x(1000) <= d.x(0) {
		t.Errorf("0 is at %v, a million at %v; 100 at %v, 7 at %v", d.x(0), d.x(1_000_000), d.y(100), d.y(7))
	}
}
