package app_test

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"kubarium/app"
	"kubarium/server"
)

// TestVersion proves where the version is from, in a release and otherwise.
func TestVersion(t *testing.T) {
	built := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		name, release string
		info          *debug.BuildInfo
		want          string
	}{
		{"Release", "v1.2.3", built("v0.0.0-20260101000000-0123456789ab", commit), "v1.2.3"},
		{"Module", "", built("v1.2.3", commit), "v1.2.3"},
		{"Commit", "", built("(devel)", commit), "0123456789ab"},
		{"ChangedSince", "", built("", commit, changed), "0123456789ab-dirty"},
		{"NoCommit", "", built("(devel)"), "devel"},
		{"NoInfo", "", nil, "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := app.VersionOf(c.release, c.info); got != c.want {
				t.Errorf("version is %s, want %s", got, c.want)
			}
		})
	}
}

// TestMain_Version proves what the command prints.
func TestMain_Version(t *testing.T) {
	var out, errs bytes.Buffer
	code := app.Main([]string{"version"}, nil, &out, &errs)
	want := fmt.Sprintf("kubarium %s\nKubernetes API %s\n%s %s/%s\n", app.Version(), server.KubernetesVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if code != 0 || out.String() != want || errs.Len() > 0 {
		t.Errorf("exit %d, %q, %q; want %q", code, &out, &errs, want)
	}
}
