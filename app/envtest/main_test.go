package envtest_test

import (
	"os"
	"path/filepath"
	"testing"

	"kubarium/app"
	"kubarium/app/envtest"
)

// made is the folder of the tests' own binary by other names, once there is one.
var made string

// The tests' own binary is laid out as etcd and kube-apiserver, so that real processes run what was just compiled.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case envtest.Etcd, envtest.KubeAPIServer:
		os.Exit(app.Main(envtest.Args(os.Args), os.Stdin, os.Stdout, os.Stderr))
	}
	code := m.Run()
	if made != "" {
		os.RemoveAll(made)
	}
	os.Exit(code)
}
