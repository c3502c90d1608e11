package papers_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile("[^a-z0-9 _-]")
	named   = regexp.MustCompile(`[^\w/.]((?:app|server|tui|tests|tools|flow|analysis|codecs|cells|scenarios|apitest|` +
		`sqlitestore|etcdstore)/[a-z0-9_/.-]*\.(?:go|proto|json|txt|yaml|mod|sql))`)
)

// pages are README, ARCHITECTURE and what docs has.
func pages(t *testing.T) (pages []string) {
	t.Helper()
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no pages like %s: %v", pattern, err)
		}
		pages = append(pages, found...)
	}
	return pages
}

// TestLinks follows the links of pages to files, headings and pictures of the repository.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(mustRead(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if anchor != "" && !slices.Contains(anchors(mustRead(t, target)), anchor) {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}
}

// TestFiles looks for the files that pages name.
func TestFiles(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range named.FindAllStringSubmatch(mustRead(t, page), -1) {
			if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
				t.Errorf("%s names %s: %v", page, m[1], err)
			}
		}
	}
}

// TestLength keeps the two pages short that everyone reads: the rest belongs into docs and package comments.
func TestLength(t *testing.T) {
	for _, page := range []string{"../../README.md", "../../ARCHITECTURE.md"} {
		if n := strings.Count(mustRead(t, page), "\n"); n > 150 {
			t.Errorf("%s has %d lines, want at most 150", page, n)
		}
	}
}

// anchors are the names of a page's headings in links, as GitHub makes them.
func anchors(page string) []string {
	var names []string
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		name := dropped.ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

func mustRead(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
