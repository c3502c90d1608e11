// Package browser opens pages in a real browser, for tests: Debian's Chromium, without a window, with an empty profile
// and without a network. A test opens files from disk, looks at them, types, and takes pictures:
//
//	b := browser.Start(t)
//	p := b.Open("out/index.html", browser.View{Width: 400, Dark: true})
//	p.Keys(kb.Tab, kb.Enter)
//	if got := p.Text("h1"); got != "…" { … }
//
// A page must be at peace: an error that it logs or throws, a violation of its Content-Security-Policy, and a request
// for anything but the file itself are troubles. Those that a test does not take with Troubles fail it at its end.
//
// Where there is no Chromium, Start skips the test (see tests/require). With -shots DIR, Shot writes pictures.
package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/chromedp/chromedp"
)

// names are those of Chromium, as the systems call it.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// ErrMissing is the error where no Chromium is on PATH.
var ErrMissing = errors.New("no browser: PATH has neither chromium, chromium-browser nor google-chrome")

// Launch starts Chromium. The context is one for chromedp: each chromedp.NewContext of it is a tab. Close ends the
// browser and removes its profile. The error is ErrMissing, or says why it did not start.
func Launch(ctx context.Context) (tabs context.Context, close func(), err error) {
	path, err := find()
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"), // no request gets anywhere, whatever a page asks for
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // root's processes have no sandbox to start in
	}
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	tabs, last := chromedp.NewContext(ctx)
	if err := chromedp.Do(tabs); err != nil {
		last()
		end()
		return nil, nil, err
	}
	return tabs, func() { last(); end() }, nil
}

// find returns the path of a Chromium.
func find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}
