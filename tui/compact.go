package tui

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"kubarium/server/flow"
)

// askCompact compacts the history over HTTP, as `kubarium compact` does, after asking.
func (u *ui) askCompact() {
	u.over = &menu{
		title: "Compact the history?",
		text:  []string{fmt.Sprintf("No version before rv %d can be read afterwards;", u.time.head), "who is behind gets 410 Gone and must list again."},
		items: []item{{key: "c", label: "compact now", do: func() {
			url := u.url
			u.do(workEffect{func() func() {
				err := compact(url)
				return func() {
					if err != nil {
						u.say("compact: %s", err)
						return
					}
					u.say("compacted: what came before is ▒ on the axis below")
				}
			}})
		}}},
	}
}

// compact asks the server at url to make every revision up to now unreadable.
func compact(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/debug/compact", nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", flow.UIAgent)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	return nil
}
