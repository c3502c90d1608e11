package doctor_test

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/analysis/doctor"
)

// BenchmarkAdd measures a plain get, and a write of an object of 1 KB.
func BenchmarkAdd(b *testing.B) {
	filling := strings.Repeat("x", 700)
	for name, tell := range map[string]func(s *story, i int){
		"get": func(s *story, i int) { s.client("a/1").get(cm, fmt.Sprintf("default/n%d", i%50)) },
		"write": func(s *story, i int) {
			name := fmt.Sprintf("default/n%d", i%50)
			s.client("a/1").write("update", cm, name, "", fmt.Sprintf(`"data":{"a":%q,"n":"%d"},"status":{"a":1}`, filling, i),
				s.versioned(cm, name))
		},
		"write by two": func(s *story, i int) {
			name := fmt.Sprintf("default/n%d", i%50)
			s.client(fmt.Sprintf("a%d/1", i/50%2)).write("update", cm, name, "",
				fmt.Sprintf(`"data":{"a":%q,"n":"%d"},"status":{"a":1}`, filling, i), s.versioned(cm, name))
		},
	} {
		b.Run(name, func(b *testing.B) {
			s := newStory()
			for i := range 5000 {
				tell(s, i)
			}
			d := doctor.New(doctor.Options{})
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				f := *s.flows[i%len(s.flows)]
				f.Seq = uint64(i + 1)
				d.Add(&f)
			}
		})
	}
}

// BenchmarkReport measures what a page that asks once a second pays.
func BenchmarkReport(b *testing.B) {
	s := newStory()
	for i := range 20000 {
		s.client(fmt.Sprintf("a%d/1", i%20)).write("update", cm, fmt.Sprintf("default/n%d", i%500), "", data(i%3))
	}
	d := doctor.New(doctor.Options{})
	for _, f := range s.flows {
		d.Add(f)
	}
	b.ResetTimer()
	for range b.N {
		d.Report()
	}
}
