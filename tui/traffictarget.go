package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"kubarium/server/flow"
)

// drawTarget shows what a request asked for, and on the right what became of it: the events of a watch, or which
// refused request it tries again.
func (t *traffic) drawTarget(c *canvas, r rect, f *flow.Flow) {
	tail, st := "", sDim
	if w := f.Watch; w != nil {
		s := w.State()
		open := s.Ended.IsZero()
		tail, st = "○ "+count(s.Sent), sDim
		if open && f.Phase == flow.WatchOpened {
			tail, st = "◉ "+count(s.Sent), sOpen
			t.openWatches = true
		}
	} else if of, ok := t.u.feed.retries[f.Seq]; ok {
		tail = fmt.Sprintf("↻%d", of)
	}
	room := r.w
	if tail != "" {
		n := ansi.StringWidth(tail)
		c.put(r, r.w-n, 0, st, tail)
		room -= n + 1
	}
	name := targetText(f)
	x := c.put(rect{r.x, r.y, room, 1}, 0, 0, sPlain, fit(name, room))
	if extra := targetExtra(f); extra != "" && x+4 < room {
		c.put(rect{r.x, r.y, room, 1}, x, 0, sDim, fit(extra, room-x))
	}
}

// targetText is what a request asked for, as kubectl users write it: "deployments/web", "pods", "/version".
func targetText(f *flow.Flow) string {
	t := f.Target
	if t.Resource == "" {
		return f.Path
	}
	s := t.Resource
	if t.Name != "" {
		s += "/" + t.Name
	} else if t.Verb == "create" && len(f.Effects) == 1 {
		s += "/" + f.Effects[0].Commit.Name // the path of a create does not say it
	}
	if t.Subresource != "" {
		s += "/" + t.Subresource
	}
	return s
}

// targetExtra is what else matters: the namespace unless it is the default one, and the query.
func targetExtra(f *flow.Flow) string {
	s := ""
	if ns := f.Target.Namespace; ns != "" && ns != "default" && f.Target.Resource != "namespaces" {
		s = " @" + ns
	}
	if q := queryHint(f); q != "" {
		s += " ?" + q
	}
	return s
}

// queryHint is the query without what every client sends.
func queryHint(f *flow.Flow) string {
	if f.Query == "" {
		return ""
	}
	var keep []string
	for _, p := range strings.Split(f.Query, "&") {
		k, v, _ := strings.Cut(p, "=")
		switch k {
		case "fieldManager", "fieldValidation", "timeout", "timeoutSeconds", "watch", "allowWatchBookmarks":
			continue
		case "resourceVersion":
			if f.Target.Verb == "watch" {
				continue
			}
		case "limit":
			if v == "500" {
				continue
			}
		}
		keep = append(keep, p)
	}
	return strings.Join(keep, "&")
}
