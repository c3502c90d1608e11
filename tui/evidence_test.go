package tui

import (
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
	u.SetEvidence(map[uint64]bool{3: true})
	u.Choose(f)
	u.Choose(u.Log.Get(5))
	for range 300 {
		d.request("k9", "get", "deployments", "later", 200, 0.1)
		d.log.Publish(&flow.Flow{})
	}
	if u.Log.Get(3) != f {
		t.Error("the request of a finding has aged out")
	}
	u.SetEvidence(nil)
	if u.Log.Get(3) != nil {
		t.Error("the request stays without its finding")
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
