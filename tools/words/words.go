package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A word is a line of limits.txt.
type word struct {
	name    string
	limit   int
	pattern *regexp.Regexp
}

// parse reads limits.txt: a name, a limit and a regular expression in each line; "#" begins a comment.
func parse(text string) ([]word, error) {
	var words []word
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(strings.Join(strings.Fields(line), " "), " ", 3)
		if len(f) < 3 {
			return nil, fmt.Errorf("line %d: want a name, a limit and a regular expression", i+1)
		}
		limit, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: the limit: %w", i+1, err)
		}
		pattern, err := regexp.Compile(f[2])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		words = append(words, word{f[0], limit, pattern})
	}
	return words, nil
}

// lowered returns limits.txt with each limit that is above what was found set to that.
func lowered(text string, words []word, found map[string][]string) string {
	for _, w := range words {
		if n := len(found[w.name]); n < w.limit {
			limit := regexp.MustCompile(`(?m)^(` + regexp.QuoteMeta(w.name) + `\s+)\d+`)
			text = limit.ReplaceAllString(text, "${1}"+strconv.Itoa(n))
		}
	}
	return text
}

// count returns the places of each word, by its name: in pages, and in Go files that are no tests.
func count(root string, words []word) (map[string][]string, error) {
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		var lines []line
		switch filepath.Ext(path) {
		case ".md":
			lines, err = ofPage(path)
		case ".go":
			lines, err = ofCode(path)
		}
		for _, l := range lines {
			for _, w := range words {
				for range w.pattern.FindAllString(l.text, -1) {
					found[w.name] = append(found[w.name], fmt.Sprintf("%s:%d: %s", path, l.number, l.text))
				}
			}
		}
		return err
	})
	return found, err
}

// A line is one that people read.
type line struct {
	number int
	text   string
}

func ofPage(path string) ([]line, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return split(1, string(text)), nil
}

// ofCode returns the comments of a file, and those of its strings that have a space, which are messages more often than
// not.
func ofCode(path string) ([]line, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, group := range f.Comments {
		for _, c := range group.List {
			lines = append(lines, split(files.Position(c.Pos()).Line, strings.TrimPrefix(c.Text, "//"))...)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && strings.Contains(s.Value, " ") {
			lines = append(lines, split(files.Position(s.Pos()).Line, strings.Trim(s.Value, "\"`"))...)
		}
		return true
	})
	return lines, nil
}

func split(first int, text string) []line {
	var lines []line
	for i, t := range strings.Split(text, "\n") {
		lines = append(lines, line{first + i, strings.TrimSpace(t)})
	}
	return lines
}
