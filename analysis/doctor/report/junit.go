package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"

	"kubarium/analysis/doctor"
)

// A suite is a JUnit test suite: a test case for each rule.
type suite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Time     string     `xml:"time,attr"`
	At       string     `xml:"timestamp,attr,omitempty"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Time    string   `xml:"time,attr"`
	Failure *failure `xml:"failure,omitempty"`
	Output  string   `xml:"system-out,omitempty"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []suite  `xml:"testsuite"`
}

// JUnit writes a report as a test suite with a test case for each rule. One with an error or a warning has failed;
// notes are its output.
func JUnit(w io.Writer, p *doctor.Report, rules []doctor.Rule) error {
	s := suite{Name: "kubarium doctor", Tests: len(rules), Time: fmt.Sprintf("%.3f", p.To.Sub(p.From).Seconds())}
	if !p.From.IsZero() {
		s.At = p.From.UTC().Format("2006-01-02T15:04:05")
	}
	for _, r := range rules {
		c := caseOf(r, p.Findings)
		if c.Failure != nil {
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suites{Suites: []suite{s}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// caseOf is the test case of a rule.
func caseOf(r doctor.Rule, findings []doctor.Finding) testCase {
	c := testCase{Name: r.Name, Class: "kubarium.doctor", Time: "0"}
	var failed, notes []string
	worst := doctor.Note
	for _, f := range findings {
		switch {
		case f.Rule != r.Name:
		case f.Severity == doctor.Note:
			notes = append(notes, lineOf(&f))
		default:
			if len(failed) == 0 {
				worst = f.Severity // the gravest comes first
			}
			failed = append(failed, lineOf(&f))
		}
	}
	c.Output = printable(strings.Join(notes, "\n"))
	if len(failed) > 0 {
		text := append(failed, "", "Why: "+r.Why, "Kubernetes API Concepts, "+r.Passage+": "+r.URL, "What to do: "+r.Advice)
		message := fmt.Sprintf("%s: %s", r.Title, doctor.Plural(len(failed), "finding"))
		c.Failure = &failure{Message: printable(message), Type: string(worst), Text: printable(strings.Join(text, "\n"))}
	}
	return c
}

// lineOf is a finding in one line.
func lineOf(f *doctor.Finding) string {
	s := fmt.Sprintf("%s: %s", f.Severity, f.What)
	if f.Cost != "" {
		s += " Cost: " + f.Cost + "."
	}
	if len(f.Records) > 0 {
		s += " Records: " + recordsText(f.Records)
	}
	return s
}

// printable leaves out what XML cannot hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
}
