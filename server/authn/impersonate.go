package authn

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters/impersonation"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// impersonatePrefix begins the names of all headers of impersonation.
const impersonatePrefix = "Impersonate-"

// impersonates reports whether a request asks to act as another user.
func impersonates(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, impersonatePrefix) {
			return true
		}
	}
	return false
}

// An impersonator is the official filter, asked on the side: it is given a copy of the request, and what it would answer
// is returned as an error.
type impersonator struct {
	filter afresh[http.Handler] // which remembers who may impersonate whom
}

func newImpersonator(a authorizer.Authorizer, restored func() int64) *impersonator {
	with := impersonation.WithImpersonation
	if utilfeature.DefaultFeatureGate.Enabled(features.ConstrainedImpersonation) {
		with = impersonation.WithConstrainedImpersonation
	}
	build := func() http.Handler { return with(http.HandlerFunc(pass), a, statuses()) }
	return &impersonator{filter: afresh[http.Handler]{build: build, restored: restored}}
}

// statuses writes Statuses in JSON.
func statuses() runtime.NegotiatedSerializer {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return serializer.NewCodecFactory(scheme)
}

// pass comes after the filter: it notes who acts.
func pass(w http.ResponseWriter, r *http.Request) {
	w.(*verdict).user, _ = request.UserFrom(r.Context())
}

// ask returns who acts in the request of a requestor, and takes the headers of impersonation out of it.
func (i *impersonator) ask(r *http.Request, target *request.RequestInfo, requestor user.Info) (user.Info, error) {
	asked := r.WithContext(request.WithRequestInfo(request.WithUser(r.Context(), requestor), target))
	kept := map[string][]string{}
	for _, name := range []string{"Accept", "Accept-Encoding"} { // so that a refusal is in plain JSON
		if values, ok := asked.Header[name]; ok {
			kept[name] = values
			delete(asked.Header, name)
		}
	}
	v := &verdict{header: http.Header{}}
	i.filter.get().ServeHTTP(v, asked)
	maps.Copy(asked.Header, kept)
	if v.user == nil {
		return nil, v.refusal()
	}
	return v.user, nil
}

// A verdict is what the filter decides.
type verdict struct {
	user   user.Info // nil if it refuses
	header http.Header
	text   bytes.Buffer
}

// Header, WriteHeader and Write fulfil http.ResponseWriter; the code is in the Status, too.
func (v *verdict) Header() http.Header { return v.header }

func (v *verdict) WriteHeader(int) {}

func (v *verdict) Write(b []byte) (int, error) { return v.text.Write(b) }

// refusal is the error that the filter has written. An internal error is written as plain text.
func (v *verdict) refusal() error {
	var status metav1.Status
	if err := json.Unmarshal(v.text.Bytes(), &status); err != nil || status.Code == 0 {
		return apierrors.NewInternalError(errors.New(strings.TrimSpace(v.text.String())))
	}
	return &apierrors.StatusError{ErrStatus: status}
}
