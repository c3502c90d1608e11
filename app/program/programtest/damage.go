package programtest

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/app/program"
	"kubarium/flow"
)

// Unsafely is the option that takes out a row that no longer decodes.
const Unsafely = "ignoreStoreReadErrorWithClusterBreakingPotential=true"

// A DamagedKind is a kind of which a row is damaged.
type DamagedKind struct {
	Path, Resource, Kind, Body string
	Key                        string // where etcd would have the object
}

// ReadsFail proves what each verb says of the damaged object "a", and that "b" is well.
func (k DamagedKind) ReadsFail(t *testing.T, url string) {
	t.Helper()
	for _, method := range []string{"GET", "DELETE"} {
		s := MustStatus(t, 500, method, url+"/a", "", "")
		if want := "Internal error occurred: StorageError: corrupt object, Code: 7, Key: " + k.Key + ", ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision="; s.Reason != metav1.StatusReasonInternalError || !strings.HasPrefix(s.Message, want) {
			t.Errorf("%s: %+v", method, s)
		}
	}
	for _, query := range []string{"", "?limit=1", "?resourceVersion=0", "?labelSelector=none%3Dsuch", "?fieldSelector=metadata.name%3Da"} {
		k.listFails(t, MustStatus(t, 500, "GET", url+query, "", ""))
	}
	k.listFails(t, MustStatus(t, 500, "DELETE", url, "", ""))
	for _, s := range []metav1.Status{
		MustStatus(t, 500, "PATCH", url+"/a", MergeType, `{}`),
		MustStatus(t, 500, "PUT", url+"/a", JSONType, k.Body),
	} {
		if s.Reason != "" || !strings.HasPrefix(s.Message, "object not decodable revision=") {
			t.Errorf("%+v", s)
		}
	}
	MustStatus(t, 409, "POST", url, JSONType, k.Body)
	MustCall(t, 200, "GET", url+"/b", "", "")
	MustCall(t, 200, "GET", url+"?fieldSelector=metadata.name%3Db", "", "")
	MustCall(t, 200, "PATCH", url+"/b", MergeType, `{"metadata":{"labels":{"still":"writable"}}}`)
}

func (k DamagedKind) listFails(t *testing.T, s metav1.Status) {
	t.Helper()
	text := "StorageError: corrupt object, Code: 7, Key: /registry" + k.Key
	if s.Reason != metav1.StatusReasonStoreReadError || !strings.HasPrefix(s.Message, "failed to read one or more "+k.Resource+" from the storage: "+text) {
		t.Errorf("%+v", s)
	}
	d := s.Details
	if d == nil || d.Name != "list" || len(d.Causes) != 1 || d.Causes[0].Type != metav1.CauseTypeUnexpectedServerResponse || d.Causes[0].Field != "/registry"+k.Key || !strings.HasPrefix(d.Causes[0].Message, text) {
		t.Errorf("%+v", d)
	}
}

// Exclusions proves what may not come with the option, and where it is not allowed.
func (k DamagedKind) Exclusions(t *testing.T, url string) {
	t.Helper()
	for option, body := range map[string]string{
		"propagationPolicy":  `"propagationPolicy":"Orphan"`,
		"orphanDependents":   `"orphanDependents":true`,
		"gracePeriodSeconds": `"gracePeriodSeconds":0`,
		"preconditions":      `"preconditions":{"uid":"u"}`,
	} {
		s := MustStatus(t, 422, "DELETE", url+"/a", JSONType, `{"ignoreStoreReadErrorWithClusterBreakingPotential":true,`+body+`}`)
		if want := "ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with ." + option; !strings.Contains(s.Message, want) {
			t.Error(s.Message)
		}
	}
	if s := MustStatus(t, 422, "DELETE", url+"?"+Unsafely, "", ""); !strings.Contains(s.Message, "is not allowed with DELETECOLLECTION, try again after removing the option") {
		t.Error(s.Message)
	}
	MustStatus(t, 404, "DELETE", url+"/absent?"+Unsafely, "", "")
	MustStatus(t, 200, "DELETE", url+"/a?dryRun=All&"+Unsafely, "", "")
	MustStatus(t, 500, "GET", url+"/a", "", "")
}

// TakeOut proves the answer, the flow and the end of an unsafe deletion.
func (k DamagedKind) TakeOut(t *testing.T, p *program.Program, url string) {
	t.Helper()
	s := MustStatus(t, 200, "DELETE", url+"/a?"+Unsafely, "", "")
	if s.Status != metav1.StatusSuccess || s.Code != 200 || s.Details == nil || s.Details.Name != "a" || s.Details.Kind != k.Kind || s.Details.UID != "" {
		t.Errorf("%+v", s)
	}
	flows, _ := p.Log.Since(0, 0)
	last := flows[len(flows)-1]
	verb := slices.ContainsFunc(last.Stations, func(s flow.Station) bool {
		return s.Name == "authorize" && strings.Contains(s.Note, "unsafe-delete-ignore-read-errors")
	})
	if !verb {
		t.Errorf("the flow shows no second verb: %+v", last.Stations)
	}
	MustStatus(t, 404, "GET", url+"/a", "", "")
	if text := MustCall(t, 200, "GET", url, "", ""); !strings.Contains(text, `"name":"b"`) {
		t.Error(text)
	}
	MustCall(t, 201, "POST", url, JSONType, k.Body)
}
