package kinds_test

import (
	"math/rand"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"
)

const newEvent = `metadata: {name: a, namespace: default}, eventTime: "2026-01-02T11:55:00.000000Z", type: Normal, reason: Done,
	action: Do, note: text, reportingController: c, reportingInstance: i, regarding: {kind: Pod, name: web}`

// What an Event of events.k8s.io/v1 is refused for, in the names of the core group.
func TestEventV1_Validate(t *testing.T) {
	k := mustVersion(t, "events.k8s.io/v1", "Event")
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"good": {`{` + newEvent + `, series: {count: 2, lastObservedTime: "2026-01-02T11:55:00.000000Z"}}`, nil},
		"old": {`{metadata: {name: a, namespace: default}, type: Odd, deprecatedCount: 1, deprecatedSource: {host: a},
			deprecatedFirstTimestamp: "2026-01-02T11:55:00Z", deprecatedLastTimestamp: "2026-01-02T11:55:00Z", series: {count: 1}}`, []string{
			`eventTime: Required value`, `type: Invalid value: "": has invalid value: Odd`,
			`firstTimestamp: Invalid value: "": needs to be unset`, `lastTimestamp: Invalid value: "": needs to be unset`,
			`count: Invalid value: "": needs to be unset`, `source: Invalid value: "": needs to be unset`,
			`series.count: Invalid value: "": should be at least 2`, `series.lastObservedTime: Required value`}},
		"nobody reports": {`{metadata: {name: a, namespace: default}, eventTime: "2026-01-02T11:55:00.000000Z", type: Normal, reason: Done, action: Do,
			reportingInstance: i}`, []string{`reportingController: Required value`,
			`reportingController: Invalid value: "": name part must be non-empty`, `reportingController: Invalid value: "": ` + badNamePart}},
		"legacy rules": {`{metadata: {name: a, namespace: shop}, eventTime: "2026-01-02T11:55:00.000000Z", type: Normal, reason: Done, action: Do,
			reportingController: c, reportingInstance: i}`, []string{`involvedObject.namespace: Invalid value: "": does not match event.namespace`}},
	} {
		t.Run(name, func(t *testing.T) { expectErrors(t, enter(k, mustParse[runtime.Object](t, k, tt.text)), tt.want) })
	}
}

// Only the series may change, and only to a good one.
func TestEventV1_ValidateUpdate(t *testing.T) {
	k := mustVersion(t, "events.k8s.io/v1", "Event")
	old := mustParse[*eventsv1.Event](t, k, `{`+newEvent+`}`)
	obj := old.DeepCopy()
	obj.Series = &eventsv1.EventSeries{Count: 1}
	obj.Note, obj.Regarding.Name = "other", "api"
	expectErrors(t, replace(k, obj, old), []string{
		`series.count: Invalid value: "": should be at least 2`, `series.lastObservedTime: Required value`,
		`message: Invalid value: "other": field is immutable`,
		`involvedObject: Invalid value: {"Kind":"Pod","Namespace":"","Name":"api","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable`})
}

// Whatever either form says is the same in the other, and back.
func TestEventV1_Conversion(t *testing.T) {
	k := mustVersion(t, "events.k8s.io/v1", "Event")
	fill := randfill.New().RandSource(rand.NewSource(1)).NilChance(0.3)
	for range 50 {
		core := &corev1.Event{}
		fill.Fill(core)
		core.TypeMeta.Kind, core.TypeMeta.APIVersion = "", ""
		e, err := k.FromStored(core.DeepCopy())
		if err != nil {
			t.Fatal(err)
		}
		back, err := k.ToStored(e)
		if err != nil {
			t.Fatal(err)
		}
		if !equality.Semantic.DeepEqual(back, core) {
			t.Fatalf("got\n%+v\nwant\n%+v", back, core)
		}
	}
}

// Both groups show the same row, and the selectable fields of one are those of the other under other names.
func TestEventV1_Row(t *testing.T) {
	k, core := mustVersion(t, "events.k8s.io/v1", "Event"), mustVersion(t, "v1", "Event")
	if k.StorageResource() != "events" || k.Stored().GroupVersionKind != core.GroupVersionKind {
		t.Errorf("kept as %s, as %s", k.StorageResource(), k.Stored().GroupVersionKind)
	}
	e := mustParse[*eventsv1.Event](t, k, `{`+newEvent+`}`)
	stored, err := k.ToStored(e.DeepCopy())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	if got, want := k.Printer.Cells(e, now), core.Printer.Cells(stored, now); !equality.Semantic.DeepEqual(got, want) {
		t.Errorf("cells %v, in the core group %v", got, want)
	}
	known := core.Fields(stored)
	for _, name := range k.FieldNames {
		if alias := k.FieldAliases[name]; alias != "" {
			name = alias
		}
		if !known.Has(name) {
			t.Errorf("nothing is selected by %s", name)
		}
	}
}
