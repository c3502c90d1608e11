package aggregated_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A watch is a stream of events that come during other steps.
type watch struct{ frames chan string }

// watch begins a watch and writes its status.
func (p *player) watch(name, path string, header http.Header) error {
	req, err := p.newRequest(&step{verb: http.MethodGet, rest: path, header: header})
	if err != nil {
		return err
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return err
	}
	p.t.Cleanup(func() { resp.Body.Close() })
	w := &watch{frames: make(chan string, 100)}
	go func() {
		defer close(w.frames)
		for lines := bufio.NewReader(resp.Body); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			w.frames <- line
		}
	}()
	p.watches[name] = w
	p.answers.WriteString(p.show(answer{status: resp.StatusCode, header: resp.Header}, "") + "\n")
	return nil
}

// events waits for a number of events of a watch and writes them; one more than there are is its end.
func (p *player) events(name string, count int) error {
	w, late := p.watches[name], time.After(patience)
	for i := range count {
		select {
		case frame, ok := <-w.frames:
			if !ok {
				p.answers.WriteString("the watch has ended\n")
				return nil
			}
			p.answers.WriteString(p.showBody([]byte(strings.TrimSpace(frame)), "") + "\n")
		case <-late:
			return fmt.Errorf("%d of %d events came", i, count)
		}
	}
	return nil
}
