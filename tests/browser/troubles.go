package browser

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// troubles are what a page did that it must not do. Safe for concurrent use.
type troubles struct {
	top cdp.FrameID // of the tab

	mu   sync.Mutex // guards list
	list []string
}

// listen makes a tab note its troubles from now on.
func (w *troubles) listen(ctx context.Context) error {
	if err := chromedp.Listen(ctx, w.note); err != nil {
		return err
	}
	return chromedp.Do(ctx, func(ctx context.Context, tab *chromedp.Target) (none chromedp.Void, err error) {
		w.top = cdp.FrameID(tab.TargetID)
		if _, err := cdp.Call(ctx, tab, network.Enable, network.EnableParams{}); err != nil {
			return none, err
		}
		if _, err := cdp.Call(ctx, tab, log.Enable, cdp.Empty{}); err != nil {
			return none, err
		}
		_, err = cdp.Call(ctx, tab, audits.Enable, cdp.Empty{})
		return none, err
	})
}

// note keeps an event that is a trouble.
func (w *troubles) note(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !w.allowed(e) {
			w.add("request: %s %s (%s)", e.Request.Method, e.Request.URL, e.Type)
		}
	case *network.EventWebSocketCreated:
		w.add("request: %s (WebSocket)", e.URL)
	case *runtime.EventExceptionThrown:
		w.add("error: %s", exception(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		switch e.Type {
		case "error", "warning", "assert":
			w.add("console: %s", arguments(e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			w.add("log: %s", e.Entry.Text)
		}
	case *audits.EventIssueAdded:
		if d := e.Issue.Details.ContentSecurityPolicyIssueDetails; d != nil {
			w.add("policy: %s refused %s", d.ViolatedDirective, d.BlockedURL)
		}
	}
}

// allowed reports whether a request stays on the page: the tab's own document, from disk, or bytes that the page has.
func (w *troubles) allowed(e *network.EventRequestWillBeSent) bool {
	url := e.Request.URL
	if e.Type == network.ResourceTypeDocument && e.FrameID == w.top && strings.HasPrefix(url, "file://") {
		return true
	}
	return strings.HasPrefix(url, "data:") || strings.HasPrefix(url, "blob:") || url == "about:blank"
}

func (w *troubles) add(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, fmt.Sprintf(format, args...))
}

// take returns the troubles, and forgets them.
func (w *troubles) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.list
	w.list = nil
	return list
}

// exception is what was thrown.
func exception(d *runtime.ExceptionDetails) string {
	if d.Exception == nil {
		return d.Text
	}
	return d.Text + " " + d.Exception.Description
}

// arguments are what a call of the console was given.
func arguments(args []*runtime.RemoteObject) string {
	var texts []string
	for _, a := range args {
		if text := string(a.Value); text != "" {
			texts = append(texts, text)
			continue
		}
		texts = append(texts, a.Description)
	}
	return strings.Join(texts, " ")
}
