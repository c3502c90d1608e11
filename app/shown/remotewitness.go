package shown

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kubarium/app/debug"
	"kubarium/flow"
	"kubarium/flow/recording"
	"kubarium/scenarios/play"
)

// A remoteWitness reports to a lesson the requests in the log of another Kubarium, by its /debug/flows.
type remoteWitness struct {
	client  *http.Client
	address string
}

// RemoteWitness returns the witness of a server, nil if that is not a Kubarium, or does not show its log.
func RemoteWitness(ctx context.Context, client *http.Client, address string) play.Witness {
	if client == nil {
		client = http.DefaultClient
	}
	w := remoteWitness{client, address}
	response, err := w.get(ctx, url.Values{"limit": {"1"}})
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), recording.MediaType) {
		return nil
	}
	return w
}

func (w remoteWitness) get(ctx context.Context, q url.Values) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.address+debug.FlowsPath+"?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", flow.LessonAgent+"witness")
	return w.client.Do(r)
}

// Follow reads the stream of flows, from the moment at which it has begun. If it breaks, the lesson goes on without a
// witness, and the reader continues with enter.
func (w remoteWitness) Follow(ctx context.Context) <-chan play.Seen {
	out := make(chan play.Seen)
	began := time.Now()
	response, err := w.get(ctx, url.Values{"follow": {"true"}, "filter": {"since:10s"}, "secrets": {"true"}})
	if err != nil {
		close(out)
		return out
	}
	go func() {
		defer close(out)
		defer response.Body.Close()
		lines := bufio.NewReader(response.Body)
		for {
			text, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			l, err := recording.Read(text)
			if err != nil || l.Flow == nil || l.Flow.Start.Before(began) || l.Flow.Phase == flow.WatchClosed {
				continue
			}
			select {
			case out <- seen(l.Flow):
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}
