// Publish copies the repository with another module path, until its owner is known, and makes a tree that the go command
// takes modules from:
//
//	go run ./tools/publish -module example.org/kubarium -out copy
//	go run ./tools/publish -module example.org/kubarium -out copy -version v0.1.0 -proxy tree
//
// The copy has the files that git tracks, as they are on disk. In it all modules of the repository have paths below the
// new one, and so have imports, and packages that strings and comments of Go code, and pages, name in full. The tree has the
// program's module and apitest, for a GOPROXY that begins with file://$PWD/tree.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/module"
)

func main() {
	var p publication
	flag.StringVar(&p.module, "module", "", "module `path` of the copy, such as example.org/kubarium")
	flag.StringVar(&p.out, "out", "", "`folder` of the copy; it must be new or empty")
	flag.StringVar(&p.version, "version", "", "version of the modules in the tree, such as v0.1.0")
	flag.StringVar(&p.proxy, "proxy", "", "`folder` of the tree for GOPROXY=file://…; it may have other versions")
	p.root = "."
	flag.Parse()
	if err := p.make(); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

// A publication is a copy of the repository, and a tree of its modules.
type publication struct {
	root    string // folder of the repository
	module  string // path of the copy's first module
	out     string // folder of the copy
	version string // of the tree; "" for no tree
	proxy   string // folder of the tree
}

func (p publication) make() error {
	if err := p.check(); err != nil {
		return err
	}
	files, err := tracked(p.root)
	if err != nil {
		return err
	}
	if err := p.copy(files); err != nil || p.version == "" {
		return err
	}
	if err := p.pack(p.module, p.out); err != nil {
		return err
	}
	return p.pack(p.module+"/apitest", filepath.Join(p.out, "apitest"))
}

// check refuses what cannot be made, before anything is written.
func (p publication) check() error {
	if p.out == "" {
		return errors.New("-out must name the folder of the copy")
	}
	if err := module.CheckPath(p.module); err != nil {
		return fmt.Errorf("-module: %w", err)
	}
	if (p.version == "") != (p.proxy == "") {
		return errors.New("-version and -proxy go together")
	}
	if p.version != "" {
		err := module.Check(p.module, p.version)
		if err == nil && module.CanonicalVersion(p.version) != p.version {
			err = fmt.Errorf("%s is not a whole version, such as v0.1.0", p.version)
		}
		if err != nil {
			return fmt.Errorf("-version: %w", err)
		}
	}
	if there, err := os.ReadDir(p.out); err == nil && len(there) > 0 {
		return fmt.Errorf("%s is not empty", p.out)
	}
	return nil
}
