package version_test

import (
	"runtime/debug"
	"testing"

	"kubarium/app/version"
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
			if got := version.Of(c.release, c.info); got != c.want {
				t.Errorf("version is %s, want %s", got, c.want)
			}
		})
	}
}
