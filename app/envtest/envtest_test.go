package envtest_test

import (
	"slices"
	"testing"

	"kubarium/app/envtest"
)

// The name that a binary was started by says which program it is; any other is Kubarium itself.
func TestArgs(t *testing.T) {
	for _, c := range []struct{ line, want []string }{
		{[]string{"/a/etcd", "--x"}, []string{"etcd", "--x"}},
		{[]string{"kube-apiserver"}, []string{"kube-apiserver"}},
		{[]string{"etcd.exe", "a"}, []string{"etcd", "a"}},
		{[]string{"kube-apiserver.EXE", "a"}, []string{"kube-apiserver", "a"}},
		{[]string{"/a/kubarium", "etcd", "a"}, []string{"etcd", "a"}},
		{[]string{"/etcd/kubarium", "serve"}, []string{"serve"}},
		{[]string{"etcdctl", "serve"}, []string{"serve"}},
		{[]string{"etcd.old", "serve"}, []string{"serve"}},
		{nil, nil},
	} {
		if got := envtest.Args(c.line); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, not %q", c.line, got, c.want)
		}
	}
}
