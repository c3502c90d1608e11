package audit

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Refuse opens the event of a request that is refused, with this message, before it is known who asks. Its one stage
// is the beginning of the answer.
func (l *Log) Refuse(s Subject, message string) (*Event, error) {
	e, err := l.open(s)
	if e == nil || err != nil {
		return nil, err
	}
	e.longRunning, e.ended = true, true
	e.official.SetEventResponseStatus(&metav1.Status{Message: message})
	return e, nil
}

// Attempted is the message for a request whose credentials are wrong: it names the kinds that it brought.
func Attempted(r *http.Request) string {
	var all []string
	if _, _, ok := r.BasicAuth(); ok {
		all = append(all, "basic")
	}
	if scheme, _, ok := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " "); ok && strings.EqualFold(scheme, "bearer") {
		all = append(all, "bearer")
	}
	if strings.TrimSpace(r.URL.Query().Get("access_token")) != "" {
		all = append(all, "access_token")
	}
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		all = append(all, "x509")
	}
	if len(all) == 0 {
		return "Authentication failed, no credentials provided"
	}
	return "Authentication failed, attempted: " + strings.Join(all, ", ")
}
