// Command axe looks for what keeps people with a screen reader, a keyboard or poor sight from pages that Kubarium made:
//
//	go run ./tools/axe out/index.html out/lesson.html
//
// It opens each file in Chromium, in light and in dark colours and in a narrow window, and runs axe-core on it, which
// it fetches once with npm into a folder of caches. A line is printed for each element with a finding; then the exit code is 1.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/chromedp/chromedp"

	"kubarium/tests/browser"
)

// version is axe-core's.
const version = "4.14.1"

// errFound is the end of a run with findings.
var errFound = errors.New("findings")

// views are how each page is looked at.
var views = []struct {
	name string
	view browser.View
}{
	{"light", browser.View{}}, {"dark", browser.View{Dark: true}}, {"narrow", browser.View{Width: 360}},
}

// A finding is an element that breaks a rule.
type finding struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML   string
		Target []any // a CSS selector, or selectors through frames
	}
}

//go:embed run.js
var script string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	core := flag.String("core", "", "`file` of axe-core, axe.min.js; fetched with npm if not given")
	flag.Parse()
	switch err := run(ctx, *core, flag.Args(), os.Stdout); {
	case errors.Is(err, errFound):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "axe:", err)
		os.Exit(2)
	}
}

// run looks at all files.
func run(ctx context.Context, core string, files []string, out io.Writer) error {
	if len(files) == 0 {
		return errors.New("name HTML files")
	}
	if core == "" {
		var err error
		if core, err = fetch(ctx); err != nil {
			return err
		}
	}
	library, err := os.ReadFile(core)
	if err != nil {
		return err
	}
	tabs, end, err := browser.Launch(ctx)
	if err != nil {
		return err
	}
	defer end()
	found := 0
	for _, file := range files {
		n, err := look(tabs, file, string(library), out)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		found += n
	}
	fmt.Fprintf(out, "%d files, %d findings\n", len(files), found)
	if found > 0 {
		return errFound
	}
	return nil
}

// fetch returns axe-core's file, from the folder of caches or else from npm's registry.
func fetch(ctx context.Context) (string, error) {
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(caches, "kubarium-axe", version)
	file := filepath.Join(dir, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--no-save", "--ignore-scripts", "axe-core@"+version)
	if text, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install axe-core: %w\n%s", err, text)
	}
	return file, nil
}

// look prints the findings of a file in all views, and returns how many they are.
func look(tabs context.Context, file, library string, out io.Writer) (found int, err error) {
	address, err := browser.Address(file)
	if err != nil {
		return 0, err
	}
	ctx, end := chromedp.NewContext(tabs)
	defer end()
	for _, v := range views {
		err := chromedp.Do(ctx, v.view.Set, chromedp.Navigate(address), chromedp.Evaluate[chromedp.Void](library+";0"))
		if err != nil {
			return 0, err
		}
		findings, err := chromedp.Run(ctx, chromedp.Evaluate[[]finding](script, chromedp.EvalAwaitPromise))
		if err != nil {
			return 0, err
		}
		for _, f := range findings {
			for _, n := range f.Nodes {
				fmt.Fprintf(out, "%s (%s): %s, %s: %s\n    %v  %s\n", file, v.name, f.ID, f.Impact, f.Help, n.Target, n.HTML)
				found++
			}
		}
	}
	return found, nil
}
