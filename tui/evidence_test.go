package tui

import (
	"fmt"
	"slices"
	"testing"

	"kubarium/flow"
)

// A request that a finding names stays when the log ages, also after it was selected and left, and goes with the
// finding.
func TestUI_EvidenceStays(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 100})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	f := u.Log.Get(3)
	u.KeepFlows("doctor", []uint64{3})
	u.Choose(f)
	u.Choose(u.Log.Get(5))
	for range 300 {
		d.request("k9", "get", "deployments", "later", 200, 0.1)
		d.log.Publish(&flow.Flow{})
	}
	if u.Log.Get(3) != f {
		t.Error("the request of a finding has aged out")
	}
	u.KeepFlows("doctor", nil)
	if u.Log.Get(3) != nil {
		t.Error("the request stays without its finding")
	}
}

// Each owner keeps its requests, polling too, and of too many the newest; what two keep stays until both let it go.
func TestUI_Keep(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 400, Pinned: 1 << 20})
	for i := range 300 {
		d.log.Publish(d.request("k9", "get", "deployments", "polled", 200, float64(i)))
	}
	u, _ := testUI(d, "mono", 120, 36)
	u.KeepFlows("client", []uint64{150, 7, 8, 7})
	u.KeepFlows("doctor", []uint64{8, 9})
	crowd := func() {
		for range 1000 {
			name := fmt.Sprint("later-", d.log.Stats().Newest)
			d.log.Publish(d.request("k9", "get", "deployments", name, 200, 0.1))
		}
	}
	has := func(want ...uint64) {
		t.Helper()
		for _, seq := range []uint64{6, 7, 8, 9, 150} {
			if got := u.Log.Get(seq) != nil; got != slices.Contains(want, seq) {
				t.Errorf("#%d is kept: %v", seq, got)
			}
		}
	}
	crowd()
	has(7, 8, 9, 150)
	u.KeepFlows("client", []uint64{150, 12345678})
	has(8, 9, 150)
	u.KeepFlows("doctor", nil)
	has(150)
	newest := u.Log.Stats().Newest
	var all []uint64
	for seq := newest - 350; seq <= newest; seq++ {
		all = append(all, seq)
	}
	u.KeepFlows("client", all)
	crowd()
	var kept []uint64
	room := int64(0)
	for _, seq := range all {
		if f := u.Log.Get(seq); f != nil {
			kept, room = append(kept, seq), room+f.Memory()
		}
	}
	if n := len(kept); n < 20 || kept[n-1] != newest || kept[0] != newest+1-uint64(n) || room > 1<<18 {
		t.Errorf("%d are kept in %d bytes: %v", n, room, kept)
	}
}

// A filter that is not valid stays in the line at enter, to be mended.
func TestFilter_StaysWhenWrong(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("/", "c", "o", "d", ":", "1", "enter")
	if u.filter.edit == nil || u.filter.edit.Text != "cod:1" {
		t.Error("what was typed is gone")
	}
	u.keys("esc")
	if u.filter.edit != nil {
		t.Error("esc does not close it")
	}
}
