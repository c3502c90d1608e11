package trials

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"kubarium/analysis/explore"
)

// An exploreReport reports how an exploration goes: a text as it goes, or JSON at its end, with the text on stderr.
type exploreReport struct {
	x     *Exploration
	out   io.Writer // of the text
	last  io.Writer // of the JSON; nil for none
	begun time.Time
	json  exploreJSON

	trying time.Time // since when faults are tried
	fresh  int       // how many were, without those that an interrupted exploration had tried
}

// An exploreJSON is the report for programs.
type exploreJSON struct {
	Command    []string          `json:"command"`
	Controller string            `json:"controller,omitempty"`
	Seed       uint64            `json:"seed"`
	Clients    []string          `json:"clients"`
	Possible   int               `json:"possible"` // faults to choose from
	Runs       int               `json:"runs"`
	Seconds    float64           `json:"seconds"`
	Ignored    int               `json:"ignored"` // fields and objects that differ without a fault
	Faults     []exploreJSONTry  `json:"faults"`
	Findings   []exploreJSONFind `json:"findings"`
}

type exploreJSONTry struct {
	explore.Fault
	explore.Outcome
}

type exploreJSONFind struct {
	exploreJSONTry
	Folder string   `json:"folder"`
	Story  string   `json:"story"` // one paragraph: what was done, what the client did otherwise, how it ended
	Also   []string `json:"also,omitempty"`
	Times  int      `json:"times"`
	Of     int      `json:"of"`
	Stable bool     `json:"stable"`
}

func newExploreReport(x *Exploration, out, errs io.Writer) *exploreReport {
	s := &exploreReport{x: x, out: out, begun: time.Now(), json: exploreJSON{
		Command: x.words, Controller: x.Controlled, Seed: x.Seed, Clients: []string{}, Faults: []exploreJSONTry{}, Findings: []exploreJSONFind{},
	}}
	if x.Format == "json" {
		s.out, s.last = errs, out
	}
	return s
}

func (s *exploreReport) line(format string, values ...any) {
	fmt.Fprintf(s.out, format+"\n", values...)
}

// base reports a run without a fault.
func (s *exploreReport) base(n int, r *ran) {
	s.json.Runs++
	writes, clients := 0, 0
	for _, one := range r.servers {
		w, c := one.Writes()
		writes, clients = writes+w, clients+c
	}
	s.line("run %d of %d without a fault: %s by %s, %s", n, s.x.Bases, count(writes, "write"), count(clients, "client"), briefTime(r.Took))
	if r.Busy != nil {
		s.line("  it is never quiet for %s: what is written all the time may look like a difference; the busiest is %s", s.x.Quiet, r.Busy[0])
	}
	if r.Falls > 0 {
		s.line("  the controller ended by itself %s", count(r.Falls, "time"))
	}
}

func (s *exploreReport) compared(first *explore.State, base *explore.Base) {
	s.json.Ignored = base.Noise()
	if n := base.Noise(); n > 0 {
		s.line("%s at the end, besides Kubarium's own; %s, different without a fault, do not count", count(first.Len(), "object"), count(n, "field"))
		return
	}
	s.line("%s at the end, besides Kubarium's own", count(first.Len(), "object"))
}

// planned reports which faults are tried.
func (s *exploreReport) planned(faults []explore.Fault, possible int, clients, streaming []string) {
	s.json.Possible = possible
	s.json.Clients = append(s.json.Clients, clients...)
	if len(faults) == 0 {
		s.line("no client of the run watches and writes, so there is nothing to try; --client says who is meant")
		return
	}
	if len(streaming) > 0 {
		s.line("%s: no stale start is tried, since a streaming list asks for the newest state; with %s it can be", strings.Join(streaming, ", "), explore.NoStreaming)
	}
	s.trying = time.Now()
	kinds := map[explore.Kind]int{}
	for _, f := range faults {
		kinds[f.Kind]++
	}
	var said []string
	for _, k := range explore.Kinds {
		if kinds[k] > 0 {
			said = append(said, fmt.Sprintf("%d %s", kinds[k], k))
		}
	}
	s.line("%d of %s: %s", len(faults), count(possible, "possible fault"), strings.Join(said, ", "))
}

// tried reports a run with a fault.
func (s *exploreReport) tried(n, of int, t *trial) {
	s.json.Runs++
	s.json.Faults = append(s.json.Faults, exploreJSONTry{t.fault, t.outcome})
	s.line("%*d/%d %-7s %s", len(fmt.Sprint(of)), n, of, t.fault.Kind, t.fault.What)
	pad := strings.Repeat(" ", 2*len(fmt.Sprint(of))+10)
	switch {
	case t.outcome.Missed != "":
		s.line("%sdid not come, twice: %s before it", pad, t.outcome.Missed)
	case !t.outcome.Came:
		s.line("%sdid not come: there was no such moment in this run", pad)
	case t.outcome.Same():
		s.line("%sthe same at the end", pad)
	default:
		s.points(pad, &t.outcome)
	}
	if t.before {
		return
	}
	s.fresh++
	if left := time.Since(s.trying) / time.Duration(s.fresh) * time.Duration(of-n); n%5 == 0 && left > 0 {
		s.line("%s%s left, about", pad, left.Round(time.Second))
	}
}

// mostPoints is how many differences of one run are printed.
const mostPoints = 6

func (s *exploreReport) points(pad string, o *explore.Outcome) {
	points := o.Points()
	for i, p := range points {
		if i == mostPoints && len(points) > mostPoints+1 {
			s.line("%sand %d more", pad, len(points)-i)
			return
		}
		s.line("%s%s", pad, p)
	}
}

// doubted reports more runs without a fault.
func (s *exploreReport) doubted(runs, gone int, fails bool) {
	s.json.Runs += runs
	s.line("")
	s.line("%s more without a fault: %s ended so without one, too", count(runs, "run"), count(gone, "difference"))
	if fails {
		s.line("the command failed without a fault, so that its failures do not count")
	}
}

// found reports a finding that was tried again.
func (s *exploreReport) found(n int, f *finding) {
	s.json.Findings = append(s.json.Findings, exploreJSONFind{exploreJSONTry{f.fault, f.outcome}, f.folder, f.story, f.also, f.times, f.of, explore.Stable(f.times, f.of)})
	s.line("")
	s.line("finding %d, %s, %s: %s", n, f.fault.About(), stability(f), f.story)
	if len(f.also) > 0 {
		s.line("  the same with %s", count(len(f.also), "other fault"))
	}
	s.line("  %s", f.folder)
}

// table reports by kinds how many faults were tried, how many came, and how many made a difference.
func (s *exploreReport) table() {
	if len(s.json.Faults) == 0 {
		return
	}
	s.line("")
	s.line("%-8s %8s %6s %9s", "kind", "planned", "came", "differed")
	for _, k := range explore.Kinds {
		planned, came, differed := 0, 0, 0
		for i := range s.json.Faults {
			f := &s.json.Faults[i]
			if f.Kind != k {
				continue
			}
			planned++
			if f.Came {
				came++
			}
			if f.Came && !f.Same() {
				differed++
			}
		}
		if planned > 0 {
			s.line("%-8s %8d %6d %9d", k, planned, came, differed)
		}
	}
}

// end reports the sum.
func (s *exploreReport) end(found []*finding) error {
	s.json.Seconds = time.Since(s.begun).Round(100 * time.Millisecond).Seconds()
	s.table()
	s.line("")
	s.line("%s in %s, %s", count(s.json.Runs, "run"), time.Since(s.begun).Round(time.Second), count(len(found), "finding"))
	if s.last == nil {
		return nil
	}
	e := json.NewEncoder(s.last)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(s.json)
}

// count is "1 run" or "14 runs".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
