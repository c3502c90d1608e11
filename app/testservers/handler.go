package testservers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"kubarium/app/cli"
	"kubarium/app/debug"
)

const (
	// mostAsked bounds the body of a request for a server, in bytes: the definitions of a large project are some
	// megabytes.
	mostAsked = 64 << 20
	// servedWithin is how long a definition may take until it is served; it takes some milliseconds.
	servedWithin = 10 * time.Second
)

// A serverRequest is what POST /servers reads.
type serverRequest struct {
	Args        []string `json:"args"`        // flags of kubarium serve
	Definitions []string `json:"definitions"` // CustomResourceDefinitions, YAML or JSON, a text each
}

// A serverAnswer says how a server is reached.
type serverAnswer struct {
	ID   string `json:"id"`
	URL  string `json:"url"`        // HTTPS
	CA   string `json:"ca"`         // the certificate that its own is checked by, PEM
	User user   `json:"user"`       // admin of system:masters
	Own  string `json:"privileged"` // HTTP, which needs no credentials and has /debug
}

// A user has a client certificate.
type user struct {
	Name        string   `json:"name"`
	Groups      []string `json:"groups,omitempty"`
	Certificate string   `json:"clientCertificate"` // PEM
	Key         string   `json:"clientKey"`
}

// handler answers the requests of tests. They come from this machine's programs, not from a page in a browser, whose
// Host or Origin is another.
func (s *testServers) handler(host string) http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("POST /servers", answerOf(s.serveStart))
	m.HandleFunc("GET /servers", answerOf(s.serveList))
	m.HandleFunc("DELETE /servers/{id}", answerOf(s.serveEnd))
	m.HandleFunc("POST /servers/{id}/users", answerOf(s.serveUser))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host || r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
			http.Error(w, "this is for programs of this machine, by the address that kubarium apitest has printed", http.StatusForbidden)
			return
		}
		m.ServeHTTP(w, r)
	})
}

// answerOf makes a handler of what returns a value.
func answerOf(serve func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		debug.Answer(w, func() (any, error) { return serve(r) })
	}
}

func (s *testServers) serveStart(r *http.Request) (any, error) {
	var asked serverRequest
	if err := debug.ReadBody(nil, r, mostAsked, &asked); err != nil {
		return nil, err
	}
	definitions, err := readDefinitions(asked.Definitions)
	if err != nil {
		return nil, err
	}
	t, err := s.start(r.Context(), asked.Args)
	if err != nil {
		return nil, err
	}
	admin, err := t.user("admin", "system:masters")
	if err == nil {
		err = t.define(r.Context(), definitions)
	}
	if err == nil && len(definitions) > 0 {
		err = t.begin(r.Context())
	}
	if err != nil {
		_, ended := s.end(t.id)
		return nil, errors.Join(err, ended)
	}
	return serverAnswer{ID: t.id, URL: t.Secure, CA: string(t.CA), User: admin, Own: t.URL}, nil
}

func (s *testServers) serveList(*http.Request) (any, error) {
	list := []serverAnswer{}
	for _, t := range s.all() {
		list = append(list, serverAnswer{ID: t.id, URL: t.Secure, CA: string(t.CA), Own: t.URL})
	}
	return map[string]any{"servers": list}, nil
}

func (s *testServers) serveEnd(r *http.Request) (any, error) {
	there, err := s.end(r.PathValue("id"))
	if !there {
		err = noServer(r)
	}
	return nil, err
}

// errNoServer says that none of that id runs.
var errNoServer = debug.Refusal(http.StatusNotFound, errors.New("there is no such server"))

func noServer(r *http.Request) error { return fmt.Errorf("%w: %q", errNoServer, r.PathValue("id")) }

func (s *testServers) serveUser(r *http.Request) (any, error) {
	t := s.get(r.PathValue("id"))
	if t == nil {
		return nil, noServer(r)
	}
	var asked struct {
		Name   string   `json:"name"`
		Groups []string `json:"groups"`
	}
	if err := debug.ReadBody(nil, r, mostAsked, &asked); err != nil {
		return nil, err
	}
	if asked.Name == "" {
		return nil, cli.Misuse(errors.New("a user has a name"))
	}
	return t.user(asked.Name, asked.Groups...)
}

// user makes a client certificate.
func (t *testServer) user(name string, groups ...string) (user, error) {
	cert, key, err := t.NewClient(name, groups)
	return user{Name: name, Groups: groups, Certificate: string(cert), Key: string(key)}, err
}

// readDefinitions reads what is to be defined.
func readDefinitions(texts []string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	all := make([]*apiextensionsv1.CustomResourceDefinition, len(texts))
	for i, text := range texts {
		var d apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal([]byte(text), &d); err != nil {
			return nil, cli.Misuse(fmt.Errorf("definition %d: %w", i+1, err))
		}
		if d.APIVersion != apiextensionsv1.SchemeGroupVersion.String() || d.Kind != "CustomResourceDefinition" {
			return nil, cli.Misuse(fmt.Errorf("definition %d is not a CustomResourceDefinition of %s", i+1, apiextensionsv1.SchemeGroupVersion))
		}
		all[i] = &d
	}
	return all, nil
}

// define creates definitions and waits until what they define is served.
func (t *testServer) define(ctx context.Context, all []*apiextensionsv1.CustomResourceDefinition) error {
	ctx, end := context.WithTimeout(ctx, servedWithin)
	defer end()
	client := t.ClientAs("apitest", "kubarium-apitest").Definitions()
	for _, d := range all {
		if _, err := client.Create(ctx, d, metav1.CreateOptions{}); err != nil {
			return cli.Misuse(fmt.Errorf("define %s: %w", d.Name, err))
		}
	}
	for _, d := range all {
		for {
			now, err := client.Get(ctx, d.Name, metav1.GetOptions{})
			if err != nil {
				return fmt.Errorf("define %s: %w", d.Name, err)
			}
			if done, err := isServed(now); done || err != nil {
				if err != nil {
					return err
				}
				break
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
	return nil
}

// isServed reports whether what a definition defines can be asked for; the error says why it never will.
func isServed(d *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	for _, c := range d.Status.Conditions {
		switch {
		case c.Type == apiextensionsv1.NamesAccepted && c.Status == apiextensionsv1.ConditionFalse:
			return false, cli.Misuse(fmt.Errorf("define %s: %s", d.Name, c.Message))
		case c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue:
			return true, nil
		}
	}
	return false, nil
}
