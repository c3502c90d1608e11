package main

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// old is the module path in the repository. All modules of the repository are below it.
const old = "kubarium"

// names rename modules and packages.
type names struct {
	to       string          // the new path of the module old
	packages map[string]bool // folders with Go files, from the repository's root
}

// path is the new path of a module or package; other projects' keep theirs.
func (n names) path(p string) string {
	if rest, ok := strings.CutPrefix(p, old); ok && (rest == "" || rest[0] == '/') {
		return n.to + rest
	}
	return p
}

// mentioned finds what may be a package in a text; what is before it is no part of a longer path.
var mentioned = regexp.MustCompile(`(^|[^\w./-])` + old + `((?:/[a-z0-9_-]+)+)`)

// inText renames packages that a text names in full. Where no folder has that name it is something else, such as a key of
// etcd.
func (n names) inText(text string) string {
	return mentioned.ReplaceAllStringFunc(text, func(found string) string {
		m := mentioned.FindStringSubmatch(found)
		if !n.packages[path.Clean(m[2][1:])] {
			return found
		}
		return m[1] + n.to + m[2]
	})
}

// An edit replaces the bytes of a file from one position to another.
type edit struct {
	from, to int
	text     string
}

// inGo renames packages in imports, strings and comments of a Go file.
func (n names) inGo(text []byte) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var edits []edit
	change := func(node ast.Node, was, is string) {
		if was != is {
			edits = append(edits, edit{set.Position(node.Pos()).Offset, set.Position(node.End()).Offset, is})
		}
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			change(c, c.Text, n.inText(c.Text))
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.ImportSpec:
			was, _ := strconv.Unquote(node.Path.Value)
			change(node.Path, node.Path.Value, strconv.Quote(n.path(was)))
			return false
		case *ast.CallExpr:
			for _, arg := range goArguments(node) {
				change(arg, arg.Value, strconv.Quote(n.to))
			}
		case *ast.BasicLit:
			if node.Kind == token.STRING {
				change(node, node.Value, n.inText(node.Value))
			}
		}
		return true
	})
	if edits == nil {
		return text, nil
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range edits {
		text = slices.Concat(text[:e.from], []byte(e.text), text[e.to:])
	}
	return format.Source(text) // sorts imports, and aligns comments
}

// goArguments are the arguments of a call of the go command that name the module's first package.
func goArguments(call *ast.CallExpr) (all []*ast.BasicLit) {
	var words []string
	for _, arg := range call.Args {
		if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			word, _ := strconv.Unquote(lit.Value)
			if words = append(words, word); word == old {
				all = append(all, lit)
			}
		}
	}
	at := slices.Index(words, "go")
	if at < 0 || at+1 == len(words) || !slices.Contains([]string{"build", "install", "list", "run", "test", "vet"}, words[at+1]) {
		return nil
	}
	return all
}

// inMod renames modules in a file of the form of go.mod. Where one is replaced by a folder, that is in the copy too.
func (n names) inMod(name string, text []byte) ([]byte, error) {
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	rename := func(line *modfile.Line) {
		for i, word := range line.Token {
			line.Token[i] = n.path(word)
		}
	}
	for _, statement := range f.Syntax.Stmt {
		switch s := statement.(type) {
		case *modfile.Line:
			rename(s)
		case *modfile.LineBlock:
			for _, line := range s.Line {
				rename(line)
			}
		}
	}
	f.SortBlocks()
	return f.Format()
}
