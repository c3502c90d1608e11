package app_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"kubarium/app"
	"kubarium/app/version"
	"kubarium/server"
)

// TestMain_Version proves what the command prints.
func TestMain_Version(t *testing.T) {
	var out, errs bytes.Buffer
	code := app.Main([]string{"version"}, nil, &out, &errs)
	want := fmt.Sprintf("kubarium %s\nKubernetes API %s\n%s %s/%s\n", version.String(), server.KubernetesVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if code != 0 || out.String() != want || errs.Len() > 0 {
		t.Errorf("exit %d, %q, %q; want %q", code, &out, &errs, want)
	}
}
