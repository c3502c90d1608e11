package app

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/app/program/programtest"
)

// "wait --settled" returns when clients have stopped, and says who did not.
func TestWait_Settled(t *testing.T) {
	p := programtest.MustStart(t, "off")
	wait := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := Main(append([]string{"wait", "--server", p.URL}, args...), nil, &out, &errs)
		return code, out.String() + errs.String()
	}
	if code, text := wait("--settled", "--for", "100ms"); code != 0 || text != "settled: nothing happened for 100ms\n" {
		t.Errorf("at rest: %d %s", code, text)
	}
	if code, text := wait(); code != 2 || !strings.Contains(text, "--settled") {
		t.Errorf("without a condition: %d %s", code, text)
	}
	if code, text := wait("--settled", "--for", "2h"); code != 2 || !strings.Contains(text, "for must be a time") {
		t.Errorf("for too long: %d %s", code, text)
	}
	if code, text := wait("--settled", "--for", "2s", "--timeout", "1s"); code == 0 || !strings.Contains(text, "timeout 1s is shorter than for 2s") {
		t.Errorf("with no time for the rest: %d %s", code, text)
	}
	asking := make(chan struct{})
	defer close(asking)
	go func() {
		for {
			select {
			case <-asking:
				return
			case <-time.After(20 * time.Millisecond):
				if resp, err := http.Get(p.URL + "/api/v1/namespaces/default/configmaps"); err == nil {
					resp.Body.Close()
				}
			}
		}
	}()
	code, text := wait("--settled", "--for", "3s", "--timeout", "4s")
	if code != 1 || !strings.Contains(text, "not settled after 4s: ") || !strings.Contains(text, "list configmaps default, ") {
		t.Errorf("while a client asks: %d %s", code, text)
	}
}
