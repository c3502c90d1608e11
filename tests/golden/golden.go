// Package golden replays recorded requests to the official Kubernetes API machinery against a server, and reports which
// of its answers differ. It is for tests: it speaks HTTP and does not know how the server works.
//
// A File has cases, a case steps, a step a request and the relevant parts of its answer. Values that differ between
// runs (UIDs, versions, times) are placeholders such as {{uid:1}}, which get their value where they first occur.
package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// A File is one topic of the Kubernetes API.
type File struct {
	Topic      string   `json:"topic"`
	Setup      []*Step  `json:"setup"`      // run once before the cases; answers are not compared
	SetupNeeds []string `json:"setupNeeds"` // what a server must have for Setup to make sense; see Case.Needs
	Cases      []*Case  `json:"cases"`
}

// A Case is independent of all others; its first step creates its namespace.
type Case struct {
	Name  string   `json:"name"`
	Note  string   `json:"note"`
	Needs []string `json:"needs"` // "crd": the server has CustomResourceDefinitions; "compact": the tester can compact it
	Steps []*Step  `json:"steps"`
}

// A Step is a request and its expected answer, or an Action.
type Step struct {
	Action     string            `json:"action"` // "sleep" or "compact" instead of a request
	Ms         int               `json:"ms"`     // how long to sleep, milliseconds
	Method     string            `json:"method"`
	Path       string            `json:"path"`    // escaped, with the query
	Headers    map[string]string `json:"headers"` // an empty value: the header is not sent
	Body       json.RawMessage   `json:"body"`    // JSON, sent compact
	BodyText   string            `json:"bodyText"`
	BodyBase64 string            `json:"bodyBase64"`
	BodyFill   *Fill             `json:"bodyFill"`
	Repeat     int               `json:"repeat"`  // send so many times, with {{i}} counting from 0; the last answer counts
	Capture    map[string]string `json:"capture"` // placeholder: path of its value in the JSON body
	Compare    []string          `json:"compare"` // paths of the answer that count; nil means all
	Ignore     []string          `json:"ignore"`  // paths of the answer that do not count
	Until      int               `json:"until"`   // send again until this status comes
	UntilPath  string            `json:"untilPath"`
	UntilValue string            `json:"untilValue"`
	Watch      *Watch            `json:"watch"`
	Response   map[string]any    `json:"response"` // nil: nothing is compared
}

// A Fill describes a large body: Prefix, then Fill Count times, then Suffix.
type Fill struct {
	Prefix, Fill, Suffix string
	Count                int
}

// A Watch says that the answer is a stream.
type Watch struct {
	Ms     int     // how long the stream is given after the last step of During, milliseconds
	During []*Step // sent 30 ms apart once the stream's headers are there
}

// Load reads a File from a JSON file.
func Load(name string) (*File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	f := new(File)
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}
