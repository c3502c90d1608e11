package browser

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"kubarium/tests/require"
)

// limit is how long one call may take.
const limit = 20 * time.Second

var shots = flag.String("shots", "", "write pictures of pages to this `folder`")

// A Browser is a running Chromium. It ends with its test.
type Browser struct {
	t    testing.TB
	tabs context.Context
}

// Start starts a browser for a test. Without one, the test is skipped, or fails if KUBARIUM_REQUIRE has "browser".
func Start(t testing.TB) *Browser {
	t.Helper()
	tabs, end, err := Launch(context.Background())
	if errors.Is(err, ErrMissing) {
		require.Missing(t, "browser", err.Error())
	}
	if err != nil {
		t.Fatal("start the browser: ", err)
	}
	t.Cleanup(end)
	return &Browser{t, tabs}
}

// A Page is a tab with a page in it. Its methods end the test where they cannot do what they should.
type Page struct {
	t        testing.TB
	ctx      context.Context
	troubles troubles
}

// Open opens a file in a new tab. Its name may end in a query or a fragment: "run.html#seq=260".
func (b *Browser) Open(file string, v View) *Page {
	b.t.Helper()
	address, err := Address(file)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, end := chromedp.NewContext(b.tabs)
	p := &Page{t: b.t, ctx: ctx}
	b.t.Cleanup(func() {
		for _, trouble := range p.Troubles() {
			b.t.Errorf("%s: %s", file, trouble)
		}
		end()
	})
	if err := chromedp.Do(ctx); err != nil { // the tab lives as long as this context, not as one with a limit
		b.t.Fatal(err)
	}
	if err := p.troubles.listen(ctx); err != nil {
		b.t.Fatal(err)
	}
	p.Do(v.Set, chromedp.Navigate(address))
	return p
}

// Address is the URL of a file, with the query and fragment that its name ends in.
func Address(file string) (string, error) {
	u, err := url.Parse(filepath.ToSlash(file))
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(filepath.FromSlash(u.Path))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	u.Scheme, u.Path = "file", filepath.ToSlash(path)
	return u.String(), nil
}

// Do does actions of chromedp, for what has no method here.
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for _, a := range actions {
		get(p, a)
	}
}

// get is the value of an action.
func get[T any](p *Page, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// Eval puts the value of an expression of JavaScript into a pointer; nil drops it. A promise is waited for.
func (p *Page) Eval(expression string, into any) {
	p.t.Helper()
	value := get(p, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise))
	if into == nil {
		return
	}
	if err := json.Unmarshal(value, into); err != nil {
		p.t.Fatalf("%s is %s: %v", expression, value, err)
	}
}

// Until waits until an expression of JavaScript is true.
func (p *Page) Until(expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	for {
		now, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if now {
			return
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("wait for %s: %v", expression, errors.Join(err, ctx.Err()))
		case <-time.After(20 * time.Millisecond): // also after an error: another page may be loading
		}
	}
}

// Text is what a reader sees of the first element that a CSS selector finds.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return get(p, chromedp.Text(chromedp.CSS(selector)))
}

// Click clicks on the first element that a CSS selector finds, once it can be seen.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Keys types: texts, and keys of chromedp's package kb, such as kb.Tab.
func (p *Page) Keys(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.Do(chromedp.KeyEvent(k))
	}
}

// Troubles returns what the page did until now that it must not do, a line each, and forgets it.
func (p *Page) Troubles() []string {
	p.t.Helper()
	p.Eval("new Promise(done => setTimeout(() => done(0), 50))", nil) // the answer comes after all events until then
	return p.troubles.take()
}

// Shot writes a picture of the whole page to NAME.png, if the tests were started with -shots.
func (p *Page) Shot(name string) {
	p.t.Helper()
	if *shots == "" {
		return
	}
	picture := get(p, chromedp.FullScreenshot(100))
	err := os.MkdirAll(*shots, 0o777)
	if err == nil {
		err = os.WriteFile(filepath.Join(*shots, name+".png"), picture, 0o666)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
