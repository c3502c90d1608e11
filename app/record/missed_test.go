package record_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"kubarium/app/record"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// told fills a log with what is told of another behind a flow.
func told(t *testing.T, log, into *flow.Log, after uint64) {
	t.Helper()
	var b bytes.Buffer
	to, err := recording.NewEncoder(&b)
	if err != nil {
		t.Fatal(err)
	}
	run := record.Run{Log: log, Feed: &record.Feed{}}
	if err := record.Write(t.Context(), run, record.Options{Flows: true, After: after}, to, false, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(recording.End{}); err != nil {
		t.Fatal(err)
	}
	d, err := recording.NewDecoder(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for {
		e, err := d.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		recording.Fill(into, e)
	}
}

// Flows that have aged out of the log of a server are missed by whoever watches it from outside, and none of the others is, also where
// Kubarium's own are missing between them.
func TestWrite_missed(t *testing.T) {
	log, seen := flow.NewLog(flow.Limits{Flows: 40}), flow.NewLog(flow.Limits{})
	publish := func(n int) {
		for i := range n {
			f := &flow.Flow{Path: "/version"}
			if i%3 == 0 {
				f.Client.UserAgent = flow.UIAgent
			}
			log.Publish(f)
		}
	}
	var at uint64
	for _, n := range []int{100, 20, 300, 1} {
		publish(n)
		want, lost := log.Since(at, 0)
		told(t, log, seen, at)
		got, missed := seen.Since(at, 0)
		if missed != lost || len(got) != len(want) {
			t.Fatalf("behind %d: %d flows, missed %+v; want %d, missed %+v", at, len(got), missed, len(want), lost)
		}
		for i := range got {
			if got[i].Seq != want[i].Seq {
				t.Fatalf("flow %d is told as %d", want[i].Seq, got[i].Seq)
			}
		}
		at = want[len(want)-1].Seq
	}
	if s, of := seen.Stats(), log.Stats(); s.Published != of.Published || s.Newest != of.Newest {
		t.Errorf("%+v, want %+v", s, of)
	}
}
