package doctor_test

import (
	"slices"
	"testing"
	"time"

	"kubarium/analysis/doctor"
)

// swap lets the last two requests arrive in the other order, as when the first one's answer is sent later.
func (s *story) swap() {
	n := len(s.flows)
	s.flows[n-2], s.flows[n-1] = s.flows[n-1], s.flows[n-2]
}

// Writes are judged in the order in which they were committed, whatever the order in which their answers ended.
func TestDoctor_Add_order(t *testing.T) {
	held := `"finalizers":["x.io/f"],"managedFields":[{"manager":"op","operation":"Update","fieldsV1":{"f:metadata":{"f:finalizers":{".":{},"v:\"x.io/f\"":{}}}}}]`
	hear(t, "finalizers-left", map[string]tale{
		"the DELETE arrives after the write that took the finalizer away": {func(s *story) {
			s.client("op/1").write("create", cm, web, held, data(0))
			s.client("a/1").write("delete", cm, web, `"deletionTimestamp":"2026-11-22T12:01:00Z",`+held, data(0))
			s.client("op/1").remove(cm, web)
			s.swap()
			s.wait(time.Minute)
			s.client("c/1").get("pods", "default/x")
		}, nil},
	})
	hear(t, "fought-fields", map[string]tale{
		"turns in another order": {func(s *story) {
			s.client("a/1").write("create", cm, web, "", data(0))
			for i := range 4 {
				s.client("a/1").write("update", cm, web, "", data(1))
				s.client("b/1").write("update", cm, web, "", data(2))
				if i%2 == 1 {
					s.swap()
				}
			}
		}, []string{"warning a/1 and b/1 configmaps default/web: was set"}},
	})
}

// After a write that never arrives others go on after a moment, and all flows are read once.
func TestDoctor_Add_missingWrite(t *testing.T) {
	s := newStory()
	a := s.client("a/1")
	a.write("create", cm, web, "", data(0))
	s.rv++
	for i := range 400 {
		a.write("update", cm, web, "", data(i+1))
	}
	d := doctor.New(doctor.Options{})
	for _, f := range s.flows {
		d.Add(f)
	}
	if p := d.Report(); p.Flows != len(s.flows) ||
		!slices.ContainsFunc(p.Clients, func(c doctor.Client) bool { return c.Name == "a/1" && c.Verbs["update"] == 400 }) {
		t.Errorf("%d of %d flows were read: %+v", p.Flows, len(s.flows), p.Clients)
	}
}
