// Package report writes what a doctor found: as text for people, as JSON, as JUnit for continuous integration, and as
// SARIF 2.1.0. It also says whether a run has failed by what was found.
//
// It knows the doctor's report alone, neither flows nor rules.
package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"kubarium/analysis/doctor"
)

// textClients is how many clients the head of a text names.
const textClients = 10

// textRecords is how many records of a finding a text names.
const textRecords = 10

// Text writes a report for people: who asked for how much, and then the findings, each with why it matters and what to
// do.
func Text(w io.Writer, p *doctor.Report, rules []doctor.Rule) error {
	b := bufio.NewWriter(w)
	writeHead(b, p)
	if len(p.Findings) == 0 {
		fmt.Fprintf(b, "\nNothing found: %d rules looked at %s of %s.\n",
			len(rules), doctor.Plural(p.Flows, "request"), doctor.Plural(len(p.Clients), "client"))
		return b.Flush()
	}
	explained := map[string]bool{}
	for _, f := range p.Findings {
		writeFinding(b, &f)
		i := slices.IndexFunc(rules, func(r doctor.Rule) bool { return r.Name == f.Rule })
		if i >= 0 && !explained[f.Rule] {
			explained[f.Rule] = true
			writeWhy(b, rules[i])
		}
	}
	fmt.Fprintf(b, "\n%s.\n", summary(p))
	return b.Flush()
}

func writeHead(b *bufio.Writer, p *doctor.Report) {
	fmt.Fprintf(b, "%s of %s", doctor.Plural(p.Flows, "request"), doctor.Plural(len(p.Clients), "client"))
	if p.Flows > 0 {
		fmt.Fprintf(b, ", from %s to %s", p.From.Format(time.DateTime), p.To.Format("15:04:05"))
	}
	fmt.Fprintln(b)
	if p.Missed > 0 {
		fmt.Fprintf(b, "%s not known: the report covers only the others.\n", missing(p.Missed))
	}
	for i, c := range p.Clients {
		if i == textClients {
			fmt.Fprintf(b, "  and %s\n", doctor.Plural(len(p.Clients)-i, "more client"))
			break
		}
		fmt.Fprintf(b, "  %s: %s\n", printable(c.Name), clientText(&c))
	}
}

func missing(n uint64) string {
	if n == 1 {
		return "1 more request is"
	}
	return fmt.Sprintf("%d more requests are", n)
}

// clientText is what a client asked for.
func clientText(c *doctor.Client) string {
	parts := []string{doctor.Plural(c.Requests, "request")}
	for _, part := range []struct {
		count int
		one   string
	}{{c.Lists, "list"}, {c.Conflicts, "conflict"}, {c.Unchanged, "write without effect"}} {
		switch {
		case part.count == 0:
		case part.count > 1 && part.one == "write without effect":
			parts = append(parts, fmt.Sprintf("%d writes without effect", part.count))
		default:
			parts = append(parts, doctor.Plural(part.count, part.one))
		}
	}
	if c.Watches == 1 {
		parts = append(parts, "1 watch")
	} else if c.Watches > 1 {
		parts = append(parts, fmt.Sprintf("%d watches", c.Watches))
	}
	return strings.Join(append(parts, doctor.Size(c.Bytes)), ", ")
}

func writeFinding(b *bufio.Writer, f *doctor.Finding) {
	fmt.Fprintf(b, "\n%s  %s\n  %s\n", f.Severity, f.Rule, printable(f.What))
	if f.Cost != "" {
		fmt.Fprintf(b, "  Cost: %s.\n", f.Cost)
	}
	if len(f.Records) > 0 {
		fmt.Fprintf(b, "  Records: %s\n", recordsText(f.Records))
	}
}

func recordsText(records []uint64) string {
	var parts []string
	for _, seq := range records[:min(len(records), textRecords)] {
		parts = append(parts, fmt.Sprintf("#%d", seq))
	}
	if more := len(records) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, " ")
}

func writeWhy(b *bufio.Writer, r doctor.Rule) {
	fmt.Fprintf(b, "  Why: %s\n       Kubernetes API Concepts, %s: %s\n  What to do: %s\n",
		r.Why, r.Passage, r.URL, r.Advice)
}

// summary counts the findings by severity.
func summary(p *doctor.Report) string {
	var parts []string
	for _, s := range doctor.Severities() {
		n := 0
		for _, f := range p.Findings {
			if f.Severity == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, doctor.Plural(n, string(s)))
		}
	}
	return strings.Join(parts, ", ")
}
