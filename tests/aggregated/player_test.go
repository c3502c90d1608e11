package aggregated_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// agent is the User-Agent of all requests, and so the field manager.
const agent = "aggregated"

// patience is how long Until and EVENTS wait.
const patience = 30 * time.Second

// A player sends the requests of a script and writes the answers.
type player struct {
	t       *testing.T
	url     string                   // of the server
	vars    map[string]string        // what {{name}} stands for
	begin   map[string]func(*player) // processes that RUN begins and STOP ends
	end     map[string]func()
	watches map[string]*watch
	answers strings.Builder
}

// play plays a script and returns the answers.
func (p *player) play(steps []*step) string {
	for _, s := range steps {
		fmt.Fprintf(&p.answers, "### %s\n", s.title)
		if err := p.do(s); err != nil {
			p.t.Fatalf("line %d: %s: %v", s.line, s.title, err)
		}
	}
	return strings.TrimSuffix(p.answers.String(), "\n")
}

// do does one step.
func (p *player) do(s *step) error {
	first, second, _ := strings.Cut(s.rest, " ")
	switch s.verb {
	case "RUN":
		p.begin[s.rest](p)
		return nil
	case "STOP":
		p.end[s.rest]()
		return nil
	case "WATCH":
		return p.watch(first, p.fill(second), s.header)
	case "EVENTS":
		count, err := strconv.Atoi(second)
		if err != nil {
			return err
		}
		return p.events(first, count)
	}
	return p.request(s)
}

// request sends a step's request, until the answer is the expected one.
func (p *player) request(s *step) error {
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		a, err := p.send(s)
		if err != nil {
			return err
		}
		if !a.is(s.until) {
			if time.Since(begin) > patience {
				return fmt.Errorf("waited in vain for %s, the answer is %d %s", s.until, a.status, a.body)
			}
			continue
		}
		for _, k := range s.keep {
			value, err := field(a.body, k[1])
			if err != nil {
				return err
			}
			p.vars[k[0]] = value
		}
		p.answers.WriteString(p.show(a, s.only) + "\n")
		return nil
	}
}

// An answer is a response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// is reports whether the answer has the status and the texts of an Until.
func (a answer) is(until string) bool {
	status, texts, _ := strings.Cut(until, " ")
	if status != "" && status != strconv.Itoa(a.status) {
		return false
	}
	for i, text := range strings.Split(texts, "`") {
		if i%2 == 1 && !bytes.Contains(a.body, []byte(text)) {
			return false
		}
	}
	return true
}

// send sends a step's request once.
func (p *player) send(s *step) (answer, error) {
	req, err := p.newRequest(s)
	if err != nil {
		return answer{}, err
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // follows nothing
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, body}, err
}

func (p *player) newRequest(s *step) (*http.Request, error) {
	var body io.Reader
	if s.body != "" {
		text, err := yaml.YAMLToJSON([]byte(p.fill(s.body)))
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), s.verb, p.url+p.fill(s.rest), body)
	if err != nil {
		return nil, err
	}
	req.Header = s.header.Clone()
	req.Header.Set("User-Agent", agent)
	for name, fallback := range map[string]string{"Accept": "application/json", "Content-Type": "application/json"} {
		if req.Header.Get(name) == "" && (name == "Accept" || body != nil) {
			req.Header.Set(name, fallback)
		}
	}
	return req, nil
}

// fill replaces names in {{ }} by their values.
func (p *player) fill(text string) string {
	for name, value := range p.vars {
		text = strings.ReplaceAll(text, "{{"+name+"}}", value)
	}
	return text
}

// field finds a field of a JSON document by its path, "metadata.continue"; numbers are indices.
func field(document []byte, path string) (string, error) {
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return "", fmt.Errorf("no %s in %s", path, document)
			}
			value = v[i]
		}
	}
	text, ok := value.(string)
	if !ok {
		return "", fmt.Errorf("no %s in %s", path, document)
	}
	return text, nil
}
