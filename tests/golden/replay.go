package golden

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Options describe what a server under test can do, and how long it may take.
type Options struct {
	Has      []string      // needs that are met, such as "crd"; "compact" is met if Compact is set
	Compact  func() error  // makes every revision up to now unreadable
	Patience time.Duration // for "until" and for frames that do not come; 0 means 15 s
	Only     string        // replay only cases whose name contains this; "" means all
}

// An Outcome is the result of a case.
type Outcome int

const (
	Passed Outcome = iota
	Failed
	Skipped // its needs are not met
)

// A Result is the outcome of one case.
type Result struct {
	Case    string
	Outcome Outcome
	Why     string // the differences, in several lines; or the need that is not met
}

// A Report holds the results of a file's cases, in their order.
type Report struct {
	Topic   string
	Results []Result
}

// Count returns how many cases had an outcome.
func (r Report) Count(o Outcome) int {
	n := 0
	for _, result := range r.Results {
		if result.Outcome == o {
			n++
		}
	}
	return n
}

// Replay plays the cases of a file in sequence against the server at baseURL. Differences are in the Report and do not
// fail the test. The server must not have seen the file before.
func Replay(t *testing.T, baseURL string, file *File, o Options) Report {
	t.Helper()
	if o.Patience == 0 {
		o.Patience = 15 * time.Second
	}
	p := &player{base: strings.TrimSuffix(baseURL, "/"), o: o, client: &http.Client{
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 8},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	defer p.client.CloseIdleConnections()
	if p.lacks(file.SetupNeeds) == "" {
		setup := binding{}
		for _, s := range file.Setup {
			bare := *s
			bare.Response = nil
			if err := p.step(t.Context(), setup, &bare); err != nil {
				t.Errorf("setup of %s: %v", file.Topic, err)
			}
		}
	}
	report := Report{Topic: file.Topic}
	for _, c := range file.Cases {
		if strings.Contains(c.Name, o.Only) {
			report.Results = append(report.Results, p.play(t.Context(), c))
		}
	}
	return report
}

// A player sends the requests of one file.
type player struct {
	base   string
	o      Options
	client *http.Client
}

// lacks returns the first need that is not met, "" if all are.
func (p *player) lacks(needs []string) string {
	for _, need := range needs {
		if need == "compact" && p.o.Compact != nil || slices.Contains(p.o.Has, need) {
			continue
		}
		return need
	}
	return ""
}

func (p *player) play(ctx context.Context, c *Case) Result {
	if need := p.lacks(c.Needs); need != "" {
		return Result{Case: c.Name, Outcome: Skipped, Why: "needs " + need}
	}
	b := binding{}
	for i, s := range c.Steps {
		if err := p.step(ctx, b, s); err != nil {
			return Result{Case: c.Name, Outcome: Failed, Why: fmt.Sprintf("step %d: %s %s\n    %v", i+1, s.Method,
				b.fill(s.Path), err)}
		}
	}
	return Result{Case: c.Name, Outcome: Passed}
}

// step does one step; its error is the difference.
func (p *player) step(ctx context.Context, b binding, s *Step) error {
	switch s.Action {
	case "sleep":
		time.Sleep(time.Duration(s.Ms) * time.Millisecond)
		return nil
	case "compact":
		return p.o.Compact()
	}
	answer, err := p.answer(ctx, b, s)
	if err != nil {
		return err
	}
	if err := capture(b, s.Capture, answer["body"]); err != nil {
		return err
	}
	if s.Response == nil {
		return nil
	}
	kept := project(answer, s.Compare, s.Ignore)
	if diffs := b.match("", s.Response, kept); len(diffs) > 0 {
		return differences(diffs)
	}
	return nil
}

// differences is an error that lists the first differences.
func differences(diffs []string) error {
	const most = 12
	more := ""
	if len(diffs) > most {
		more = fmt.Sprintf("\n    and %d more", len(diffs)-most)
		diffs = diffs[:most]
	}
	return fmt.Errorf("%s%s", strings.Join(diffs, "\n    "), more)
}

// capture names values of an answer's body.
func capture(b binding, names map[string]string, body any) error {
	for name, path := range names {
		v, ok := lookup(body, parsePath(path))
		if !ok {
			return fmt.Errorf("body.%s: want a value for %s\n      got  %s", path, name, brief(body))
		}
		b[strings.Trim(name, "{}")] = fmt.Sprint(v)
	}
	return nil
}

// answer sends the step's request as often as it says, and returns the relevant answer.
func (p *player) answer(ctx context.Context, b binding, s *Step) (answer map[string]any, err error) {
	if s.Until != 0 {
		return p.until(ctx, b, s)
	}
	for i := range max(1, s.Repeat) {
		if s.Repeat > 0 {
			b = maps.Clone(b)
			b["i"] = strconv.Itoa(i)
		}
		if answer, err = p.once(ctx, b, s); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

func (p *player) until(ctx context.Context, b binding, s *Step) (map[string]any, error) {
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		answer, err := p.once(ctx, b, s)
		if err != nil {
			return nil, err
		}
		arrived := same(answer["status"], json.Number(strconv.Itoa(s.Until)))
		if arrived && s.UntilPath != "" {
			v, ok := lookup(answer["body"], parsePath(s.UntilPath))
			arrived = ok && fmt.Sprint(v) == s.UntilValue
		}
		if arrived || time.Since(start) > p.o.Patience {
			return answer, nil
		}
	}
}

// once sends the request one time.
func (p *player) once(ctx context.Context, b binding, s *Step) (map[string]any, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*p.o.Patience+10*time.Second)
	defer cancel()
	req, err := p.request(ctx, b, s)
	if err != nil {
		return nil, err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer := observe(resp)
	body, err := bodyOf(resp)
	if err != nil {
		return nil, err
	}
	contentType := resp.Header.Get("Content-Type")
	if s.Watch != nil && resp.StatusCode == http.StatusOK {
		return answer, p.watch(ctx, b, s, answer, nextFrame(contentType, body))
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	if s.Method != http.MethodHead {
		addBody(answer, contentType, data)
	}
	if s.Watch != nil {
		return answer, p.during(ctx, b, s.Watch)
	}
	return answer, nil
}

// watch reads a stream during the steps of its During.
func (p *player) watch(ctx context.Context, b binding, s *Step, answer map[string]any, next func() (any, error)) error {
	stream := readStream(ctx, next)
	if err := p.during(ctx, b, s.Watch); err != nil {
		return err
	}
	want, _ := s.Response["frames"].([]any)
	toEnd := s.Response["ended"] == true
	frames, ended := stream.collect(len(want), toEnd, time.Duration(s.Watch.Ms)*time.Millisecond+min(p.o.Patience,
		3*time.Second))
	if len(frames) > 0 {
		answer["frames"] = frames
	}
	if ended && stream.err != io.EOF {
		return fmt.Errorf("read the stream: %w", stream.err)
	}
	if ended {
		answer["ended"] = true
	}
	return nil
}

func (p *player) during(ctx context.Context, b binding, w *Watch) error {
	for i, s := range w.During {
		time.Sleep(30 * time.Millisecond)
		if err := p.step(ctx, b, s); err != nil {
			return fmt.Errorf("step %d during the watch, %s %s: %w", i+1, s.Method, b.fill(s.Path), err)
		}
	}
	return nil
}

// request builds the step's request.
func (p *player) request(ctx context.Context, b binding, s *Step) (*http.Request, error) {
	body, err := s.body(b)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, s.Method, p.base+b.fill(s.Path), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "golden/1.0")
	if s.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range s.Headers {
		if value == "" && name != "User-Agent" {
			req.Header.Del(name)
			continue
		}
		req.Header.Set(name, b.fill(value))
	}
	return req, nil
}

// body returns the body of the step; nil for none.
func (s *Step) body(b binding) (io.Reader, error) {
	switch {
	case s.Body != nil:
		var compact bytes.Buffer
		if err := json.Compact(&compact, s.Body); err != nil {
			return nil, err
		}
		return strings.NewReader(b.fill(compact.String())), nil
	case s.BodyText != "":
		return strings.NewReader(b.fill(s.BodyText)), nil
	case s.BodyBase64 != "":
		data, err := base64.StdEncoding.DecodeString(s.BodyBase64)
		return bytes.NewReader(data), err
	case s.BodyFill != nil:
		return strings.NewReader(b.fill(s.BodyFill.Prefix) + strings.Repeat(s.BodyFill.Fill, s.BodyFill.Count) +
			s.BodyFill.Suffix), nil
	}
	return nil, nil
}
