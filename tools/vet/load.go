package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"

	"golang.org/x/tools/go/packages"
)

// A loader type-checks packages for one system, each once, and those that it imports before it.
type loader struct {
	own    []*packages.Package // those of the working directory, and their tests
	isOwn  map[string]bool     // by ID
	done   map[string]bool     // by ID
	fset   *token.FileSet
	sizes  types.Sizes
	faults []string
}

// load asks go list which files make up the packages. It compiles nothing.
func load(system, arch string) (*loader, error) {
	own, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedModule | packages.NeedTypesSizes,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		Tests: true,
	}, "./...")
	if err != nil {
		return nil, err
	}
	if len(own) == 0 {
		return nil, errors.New("there are no packages")
	}
	l := &loader{own: own, isOwn: map[string]bool{}, done: map[string]bool{}, fset: token.NewFileSet(), sizes: types.SizesFor("gc", arch)}
	for _, p := range own {
		l.isOwn[p.ID] = true
	}
	return l, nil
}

// check gives a package its types. Of one that is not ours only declarations are looked at.
func (l *loader) check(p *packages.Package) {
	if l.done[p.ID] {
		return
	}
	l.done[p.ID] = true
	if p.PkgPath == "unsafe" {
		p.Types = types.Unsafe
		return
	}
	for _, e := range p.Errors {
		l.faults = append(l.faults, e.Error())
	}
	for _, imported := range p.Imports {
		l.check(imported)
	}
	p.Fset, p.TypesSizes = l.fset, l.sizes
	own := l.isOwn[p.ID]
	files := l.parse(p, own)
	config := types.Config{
		IgnoreFuncBodies: !own,
		Sizes:            l.sizes,
		Importer:         importer(p.Imports),
		Error:            func(err error) { l.faults = append(l.faults, l.fault(err)) },
	}
	if m := p.Module; m != nil && m.GoVersion != "" {
		config.GoVersion = "go" + m.GoVersion
	}
	info := (*types.Info)(nil)
	if own {
		info = newInfo()
		p.Syntax, p.TypesInfo = files, info
	}
	p.Types, _ = config.Check(p.PkgPath, l.fset, files, info) // what is wrong is in faults
}

func (l *loader) parse(p *packages.Package, own bool) []*ast.File {
	mode := parser.SkipObjectResolution
	if own {
		mode |= parser.ParseComments
	}
	var files []*ast.File
	for _, name := range p.CompiledGoFiles {
		file, err := parser.ParseFile(l.fset, name, nil, mode)
		if err != nil {
			l.faults = append(l.faults, err.Error())
			continue
		}
		files = append(files, file)
	}
	return files
}

func (l *loader) fault(err error) string {
	if e := (types.Error{}); errors.As(err, &e) {
		return fmt.Sprintf("%s: %s", l.fset.Position(e.Pos), e.Msg)
	}
	return err.Error()
}

// An importer knows the packages that one imports, by the paths that its files have.
type importer map[string]*packages.Package

// Import implements types.Importer.
func (m importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := m[path]; p != nil && p.Types != nil {
		return p.Types, nil
	}
	return nil, fmt.Errorf("there is no package %s", path)
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
}
