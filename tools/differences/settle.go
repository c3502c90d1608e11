package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// written are the kinds that the servers' own controllers write to after a write of the client. Their
// writes to a definition are awaited, and those to the others are not compared.
var written = []string{"CustomResourceDefinition", "APIService", "FlowSchema"}

const (
	settleTime  = 2 * time.Second        // the longest wait for controllers
	settlePoll  = 50 * time.Millisecond  // between reads
	settleQuiet = 150 * time.Millisecond // without a write, nothing more is to come
)

func (st *story) settling() bool { return slices.Contains(written, st.kind.gvk.Kind) }

// again409 sends an update again to the server that alone answered with a conflict, since its controller had written after
// the read. It reports whether the answers are the same then.
func (st *story) again409(ctx context.Context, answers []*answer, q func(*side) request) (bool, error) {
	for until := time.Now().Add(settleTime); answers[0].code != answers[1].code && time.Now().Before(until); {
		i := slices.IndexFunc(answers, func(a *answer) bool { return a.code == http.StatusConflict })
		if i < 0 {
			break
		}
		s := st.sides[i]
		now, err := st.askOne(ctx, s, func(s *side) request { return request{method: http.MethodGet, path: st.path(s.name, "")} })
		if err != nil {
			return false, err
		}
		s.object = now.object()
		if answers[i], err = st.askOne(ctx, s, q); err != nil {
			return false, err
		}
	}
	return sameAnswers(answers), nil
}

// A wait reads an object again until controllers have done with it. It ends early only where both servers answer the same.
type wait struct {
	until time.Time
	last  [2]string // the versions that were read, and since when they are the same
	since time.Time
}

// newWait returns a wait that ends at once unless there is something to wait for.
func newWait(settling bool) *wait {
	now := time.Now()
	w := &wait{until: now, since: now}
	if settling {
		w.until = now.Add(settleTime)
	}
	return w
}

// more reports whether to read again, after a pause.
func (w *wait) more(answers []*answer, same bool) bool {
	if !time.Now().Before(w.until) {
		return false
	}
	now := [2]string{version(answers[0]), version(answers[1])}
	if now != w.last {
		w.last, w.since = now, time.Now()
	}
	if same && settled(answers[1]) && time.Since(w.since) >= settleQuiet {
		return false
	}
	time.Sleep(settlePoll)
	return true
}

func version(a *answer) string {
	meta, _ := a.object()["metadata"].(map[string]any)
	v, _ := meta["resourceVersion"].(string)
	return v
}

// settled reports whether controllers have said what they think of the object, or the answer shows no status.
func settled(a *answer) bool {
	status, ok := a.object()["status"].(map[string]any)
	return a.code != http.StatusOK || !ok || len(asList(status["conditions"])) > 0
}

// sortEntries puts the managedFields of an object, and of those in a table, in the order of their managers. Their own order
// is that of their times, which are not the client's where controllers write too.
func sortEntries(object map[string]any) {
	meta, _ := object["metadata"].(map[string]any)
	slices.SortStableFunc(asList(meta["managedFields"]), func(a, b any) int { return strings.Compare(entryKey(a), entryKey(b)) })
	for _, r := range asList(object["rows"]) {
		row, _ := r.(map[string]any)
		if below, ok := row["object"].(map[string]any); ok {
			sortEntries(below)
		}
	}
}

// entryKey begins with the subresource, since the manager of controllers is not called the same by all servers.
func entryKey(entry any) string {
	e, _ := entry.(map[string]any)
	return fmt.Sprint(e["manager"] != clientName, e["subresource"], e["operation"])
}
