package clients_test

import (
	"testing"

	"kubarium/analysis/clients"
	"kubarium/analysis/doctor"
	"kubarium/flow"
)

// A finding is a client's by the requests that it names; by its name if they are no longer kept.
func TestFindings(t *testing.T) {
	p := &doctor.Report{
		Clients: []doctor.Client{{Name: "ctl/v1", Tags: []string{"c1"}}, {Name: "ctl/v10", Tags: []string{"c2"}}},
		Findings: []doctor.Finding{
			{Rule: "kept", Client: "ctl/v1", Records: []uint64{1}},
			{Rule: "of another", Client: "ctl/v1", Records: []uint64{2}},
			{Rule: "gone", Client: "ctl/v1 as m", Records: []uint64{9}}, {Rule: "two", Client: "b/v1 and ctl/v1"},
			{Rule: "like it", Client: "ctl/v10"},
		},
	}
	get := func(seq uint64) *flow.Flow {
		if seq == 9 {
			return nil
		}
		return &flow.Flow{Client: flow.Client{Tag: []string{"", "c1", "c3"}[seq]}}
	}
	got := ""
	for _, f := range clients.Findings(p, "c1", get) {
		got += f.Rule + ", "
	}
	if got != "kept, gone, two, " {
		t.Error(got)
	}
	if n := len(clients.Findings(p, "nobody", get)); n != 0 {
		t.Errorf("%d of a client that sent nothing", n)
	}
}
