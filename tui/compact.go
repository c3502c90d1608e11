package tui

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"kubarium/flow"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// askCompact compacts the history over HTTP, as `kubarium compact` does, after asking.
func (u *ui) askCompact() {
	u.Over = &term.Menu{
		Title: "Compact the history?",
		Text:  []string{u.F("No version before rv %d can be read afterwards:", u.Head()), "watchers that lag get 410 Gone and must list again."},
		Items: []term.Item{{Key: "c", Label: "compact now", Do: func() {
			url, to := u.URL, u.Reach
			u.Do(page.Work{Run: func() func() {
				err := compact(url, to)
				return func() {
					if err != nil {
						u.Say("compact: %s", err)
						return
					}
					u.Say("compacted: what came before is ▒ on the axis below")
				}
			}})
		}}},
	}
}

// compact asks the server at url to make every revision up to now unreadable.
func compact(url string, to http.RoundTripper) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/debug/compact", nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", flow.UIAgent)
	resp, err := (&http.Client{Transport: to}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	return nil
}
