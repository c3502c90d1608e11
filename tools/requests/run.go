package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A tally counts answers of one run.
type tally struct {
	asked, different int
	known            map[string]int // by the words of docs/differences.md
	printed          map[string]int // by the line of requests.txt
}

// run asks both servers everything. It returns errDifferent if an answer differs that no known difference explains.
func run(ctx context.Context, o options, out io.Writer) error {
	if o.kubarium == "" || o.kubernetes == "" {
		return errors.New("--kubarium and --kubernetes are required")
	}
	began := time.Now()
	ours, err := discover(o.kubarium)
	if err != nil {
		return err
	}
	theirs, err := discover(o.kubernetes)
	if err != nil {
		return err
	}
	served := slices.DeleteFunc(ours, func(r resource) bool { return !slices.Contains(theirs, r) })
	plan, err := planned(served, "r"+strconv.FormatInt(began.UnixMilli()%(1<<31), 36), o.only)
	if err != nil {
		return err
	}
	t := tally{known: map[string]int{}, printed: map[string]int{}}
	for _, q := range plan {
		var err error
		switch q.method {
		case "WAIT":
			err = q.wait(ctx, o)
		case "REMOVE":
			q.method = http.MethodDelete
			_, err = q.both(ctx, o)
		default:
			err = t.compare(ctx, q, o, out)
		}
		if err != nil {
			return err
		}
	}
	for words, n := range t.known {
		fmt.Fprintf(out, "known, %d answers: %s\n", n, words)
	}
	fmt.Fprintf(out, "%d answers in %s, %d differ\n", t.asked, time.Since(began).Round(time.Second), t.different)
	if t.different > 0 {
		return errDifferent
	}
	return nil
}

// compare asks both servers one question. Where the answers to a GET differ, it asks once more: what informers of a server do
// comes a little later on one than on the other.
func (t *tally) compare(ctx context.Context, q question, o options, out io.Writer) error {
	t.asked++
	var texts [2]string
	for try := range 2 {
		time.Sleep(time.Duration(try) * 100 * time.Millisecond)
		answers, err := q.both(ctx, o)
		if err != nil {
			return err
		}
		texts = [2]string{answers[0].normal(), answers[1].normal()}
		if texts[0] == texts[1] {
			return nil
		}
		if q.method != http.MethodGet {
			break
		}
	}
	if k := explained(q, texts); k != nil {
		t.known[k.words]++
		return nil
	}
	t.different++
	if t.printed[q.line]++; t.printed[q.line] <= o.examples {
		a, b := around(texts[0], texts[1])
		fmt.Fprintf(out, "%s\n    Kubarium:   %s\n    Kubernetes: %s\n", q, a, b)
	}
	return nil
}

// wait asks until both servers have the path, such as that of a new definition.
func (q question) wait(ctx context.Context, o options) error {
	q.method = http.MethodGet
	for range 100 {
		answers, err := q.both(ctx, o)
		if err != nil || answers[0].code == http.StatusOK && answers[1].code == http.StatusOK {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("not there after ten seconds: %s", q.path)
}

// planned are the questions about the resources, in the order of requests.txt.
func planned(all []resource, name, only string) ([]question, error) {
	var plan []question
	var section string
	var lines []string
	ask := func() error {
		for _, words := range wordsOf(section, all, name) {
			for _, line := range lines {
				some, err := questions(line, words)
				if err != nil {
					return err
				}
				for _, q := range some {
					if only == "" || section == "made" || section == "removed" || strings.Contains(q.String(), only) {
						plan = append(plan, q)
					}
				}
			}
		}
		return nil
	}
	for line := range strings.Lines(requestsText + "\n@end") {
		line = strings.TrimSpace(line)
		if next, found := strings.CutPrefix(line, "@"); found {
			if err := ask(); err != nil {
				return nil, err
			}
			section, lines = next, nil
		} else if line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return plan, nil
}
