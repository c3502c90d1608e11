package kinds_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The data of a revision may come with other spaces than it has where it is kept; its number changes freely.
func TestControllerRevision_ValidateUpdate(t *testing.T) {
	k := mustKind(t, "ControllerRevision")
	revision := func(data string, number int64) *appsv1.ControllerRevision {
		return &appsv1.ControllerRevision{Data: runtime.RawExtension{Raw: []byte(data)}, Revision: number}
	}
	kept := revision(`{"a":"b c"}`, 1)
	for _, c := range []struct {
		data string
		errs int
	}{{`{"a":"b c"}`, 0}, {"{ \"a\" : \"b c\" }\n", 0}, {`{"a":"bc"}`, 1}} {
		if errs := k.ValidateUpdate(revision(c.data, 2), kept); len(errs) != c.errs {
			t.Errorf("%s: %v", c.data, errs)
		}
	}
}
