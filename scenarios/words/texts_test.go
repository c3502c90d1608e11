package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"kubarium/tui/label"
)

// A source is the code that is searched for texts that are shown.
type source struct {
	files token.FileSet
	found map[string]string // texts, with the place of one of each
	mixed []string          // places where a text is put together of parts, so that it cannot be translated
	all   strings.Builder   // every text of the code, a line each
}

// readSource reads all that says something on a screen or a terminal in words that are translated.
func readSource(t *testing.T, folders ...string) *source {
	t.Helper()
	s := &source{found: map[string]string{}}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(&s.files, path, nil, 0)
			if err == nil {
				ast.Inspect(f, s.look)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// says reports whether a text is in the code, as it is or with blanks around it.
func (s *source) says(text string) bool {
	return s.found[text] != "" || strings.Contains(s.all.String(), text)
}

// fields are those of bindings, commands and questions that are shown.
var fields = []string{"Hint", "Help", "Title", "Label", "Off", "Esc"}

// look takes the texts of a node, and reports whether to look into it.
func (s *source) look(n ast.Node) bool {
	if e, ok := n.(ast.Expr); ok {
		texts, _ := variants(e)
		for _, text := range texts {
			s.all.WriteString(text + "\n")
		}
	}
	switch n := n.(type) {
	case *ast.FuncDecl: // what a pane is called, how to read it, and why a key can do nothing
		name := strings.ToLower(n.Name.Name)
		if name == "legend" || slices.Contains([]string{"hints", "mode", "title", "standsAt"}, n.Name.Name) || n.Name.Name == "Name" || strings.HasPrefix(name, "needs") {
			s.returned(n.Body)
		}
	case *ast.CallExpr:
		says := []string{"T", "F", "Say", "Unless"}
		if strings.Contains(s.files.Position(n.Pos()).Filename, "teller") {
			says = append(says, "line")
		}
		if !slices.Contains(says, called(n)) || len(n.Args) == 0 {
			return true
		}
		if texts, _ := variants(n.Args[0]); texts == nil && called(n) == "Say" {
			return true // a line about a request, after its style
		}
		for _, a := range n.Args {
			s.take(a)
		}
	case *ast.CompositeLit:
		s.takeFields(n)
	}
	return true
}

// returned takes what a function returns, not what those in it do.
func (s *source) returned(body ast.Node) {
	if body == nil {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			for _, e := range r.Results {
				s.take(e)
			}
		}
		return true
	})
}

// takeFields takes the texts of the fields that are shown.
func (s *source) takeFields(n *ast.CompositeLit) {
	of := ""
	switch t := n.Type.(type) {
	case *ast.SelectorExpr:
		of = t.Sel.Name
	case *ast.Ident:
		of = t.Name
	case *ast.IndexListExpr:
		if sel, ok := t.X.(*ast.SelectorExpr); ok {
			of = sel.Sel.Name
		}
	}
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, _ := kv.Key.(*ast.Ident)
		switch {
		case key == nil:
		case slices.Contains(fields, key.Name) && of != "Config", key.Name == "Text" && (of == "Menu" || of == "Prompt"),
			of == "ListSpec" && (key.Name == "Row" || key.Name == "Sheet" || key.Name == "Name" || key.Name == "Nothing"):
			s.take(kv.Value)
		case of == "Tab" && key.Name == "Name":
			for _, name := range first(variants(kv.Value)) {
				s.add(name[2:], kv.Value)
			}
		}
	}
}

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	case *ast.IndexExpr:
		if sel, ok := f.X.(*ast.SelectorExpr); ok {
			return sel.Sel.Name
		}
	}
	return ""
}

// take takes the texts that an expression may be.
func (s *source) take(e ast.Expr) {
	texts, some := variants(e)
	for _, text := range texts {
		s.add(text, e)
	}
	if len(texts) > 0 {
		return
	} else if some {
		s.mixed = append(s.mixed, s.files.Position(e.Pos()).String())
	}
	switch e := e.(type) {
	case *ast.CompositeLit:
		if a, ok := e.Type.(*ast.ArrayType); ok {
			if of, ok := a.Elt.(*ast.Ident); ok && of.Name == "string" {
				for _, x := range e.Elts {
					s.take(x)
				}
			}
		}
	case *ast.FuncLit:
		s.returned(e.Body)
	case *ast.CallExpr:
		switch called(e) {
		case "Pick", "Or", "append":
			for _, a := range e.Args {
				s.take(a)
			}
		case "Sprintf":
			s.mixed = append(s.mixed, s.files.Position(e.Pos()).String())
		}
	}
}

// variants are the texts that an expression may be; none if it is not known, with some if parts of it are texts.
func variants(e ast.Expr) (texts []string, some bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return []string{text}, err == nil
		}
	case *ast.ParenExpr:
		return variants(e.X)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return nil, false
		}
		left, some := variants(e.X)
		right, more := variants(e.Y)
		for _, a := range left {
			for _, b := range right {
				texts = append(texts, a+b)
			}
		}
		return texts, some || more
	case *ast.CallExpr:
		if called(e) != "Pick" || len(e.Args) != 3 {
			return nil, false
		}
		a, some := variants(e.Args[1])
		b, more := variants(e.Args[2])
		if a == nil || b == nil {
			return nil, some && more
		}
		return append(a, b...), true
	case *ast.SelectorExpr: // env.Store().Copy
		if c, ok := e.X.(*ast.CallExpr); ok && called(c) == "Store" {
			for _, store := range []*label.Store{label.SQLite, label.Etcd} {
				texts = append(texts, reflect.ValueOf(store).Elem().FieldByName(e.Sel.Name).String())
			}
		}
	}
	return texts, false
}

// add takes a text if it has a word.
func (s *source) add(text string, at ast.Expr) {
	text = strings.TrimSpace(text)
	bare := verb.ReplaceAllString(text, "")
	if strings.IndexFunc(bare, unicode.IsLetter) >= 0 {
		s.found[text] = s.files.Position(at.Pos()).String()
	}
}

func first[A, B any](a A, _ B) A { return a }
