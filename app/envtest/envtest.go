// Package envtest lets Kubarium stand in for the two programs that controller-runtime's envtest, and others like it,
// start: etcd and kube-apiserver. It lays them out in a folder, knows their flags, is the etcd, and finds for a
// kube-apiserver the data of an etcd.
//
// It knows neither store nor server: what the flags of kube-apiserver make of a Kubarium is said where one is
// started.
package envtest

import (
	"path/filepath"
	"strings"
)

// The programs.
const (
	Etcd          = "etcd"
	KubeAPIServer = "kube-apiserver"
)

// Args are the arguments of a command line, with the name of the program in front if it was started as one of the two.
func Args(line []string) []string {
	if len(line) == 0 {
		return nil
	}
	name := filepath.Base(line[0])
	if ext := filepath.Ext(name); strings.EqualFold(ext, ".exe") {
		name = strings.TrimSuffix(name, ext)
	}
	if name == Etcd || name == KubeAPIServer {
		return append([]string{name}, line[1:]...)
	}
	return line[1:]
}
