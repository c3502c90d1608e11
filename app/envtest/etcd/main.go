// Command etcd is the etcd of the archives for setup-envtest. They can have regular files only; instead of a second copy
// of Kubarium there is this small program, which becomes the kube-apiserver next to it, which is Kubarium, by the name etcd.
package main

import (
	"os"
	"path/filepath"
)

func main() {
	if err := become(); err != nil {
		os.Stderr.WriteString("etcd: " + err.Error() + "\n")
		os.Exit(1)
	}
}

func become() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return err
	}
	return run(filepath.Join(filepath.Dir(self), "kube-apiserver"), append([]string{"etcd"}, os.Args[1:]...))
}
