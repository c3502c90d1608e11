package story

import (
	"fmt"
	"strings"
	"time"

	"kubarium/analysis/chain"
	"kubarium/flow"
)

// TellChain says in a sentence what led to a write: "replicaset-controller, 3 ms after its watch saw deployments/web at
// 226 (MODIFIED, #118 by k1)"; "" where nothing is known.
func TellChain(f *flow.Flow, c *flow.Chain) string {
	if c == nil {
		return ""
	}
	var parts []string
	for i := range c.Events {
		parts = append(parts, tellEvent(&c.Events[i], i == 0))
	}
	text := strings.Join(parts, ", or ")
	if c.More > 0 {
		text += fmt.Sprintf(", or one of %d more events", c.More)
	}
	if text == "" && len(c.Reads) > 0 {
		x := c.Reads[len(c.Reads)-1]
		text = fmt.Sprintf("%s after its %s of %s", shortTime(x.Before), x.Verb, named(x.Resource, x.Name))
		text += at(x.Revision) + fmt.Sprintf(" (#%d)", x.Seq)
	}
	if c.Idle > 0 {
		idle := fmt.Sprintf("%s after its own write of the object (#%d), with no event about it in between",
			shortTime(c.Idle), c.Last)
		text = strings.Join(filled(idle, text), "; ")
	}
	if c.Retry > 0 {
		text = strings.Join(filled(text, fmt.Sprintf("again after #%d was refused", c.Retry)), "; ")
	}
	if text == "" {
		return ""
	}
	return clientName(f) + ", " + text + "."
}

// tellEvent says that a watch of the client saw an event.
func tellEvent(e *flow.ChainEvent, first bool) string {
	text := shortTime(e.Before) + " after "
	if e.Before <= 0 {
		text = "as "
	}
	if first {
		text += "its watch saw "
	}
	text += named(e.Resource, e.Name) + at(e.Revision) + " (" + e.Type
	if e.By > 0 {
		text += fmt.Sprintf(", #%d by %s", e.By, e.ByTag)
	}
	text += ")"
	if e.Link == chain.Time {
		text += ", known by time alone"
	}
	return text
}

// named is an object without the group of its resource, "deployments/web"; of a list, the resource.
func named(resource, name string) string {
	plural, _, _ := strings.Cut(resource, ".")
	if name == "" {
		return plural
	}
	return plural + "/" + name
}

func at(revision int64) string {
	if revision == 0 {
		return ""
	}
	return fmt.Sprintf(" at %d", revision)
}

// clientName is the last part of a User-Agent where that is the name of a part of a program, else the client's tag.
func clientName(f *flow.Flow) string {
	parts := strings.Split(f.Client.UserAgent, "/")
	if last := parts[len(parts)-1]; len(parts) > 3 && strings.Contains(last, "-") {
		return last
	}
	if f.Client.Tag == "" {
		return "A client"
	}
	return f.Client.Tag
}

// shortTime is a time in one unit: "3 ms".
func shortTime(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%d µs", max(0, d.Microseconds()))
}

// filled are the texts that are not empty.
func filled(texts ...string) (out []string) {
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}
