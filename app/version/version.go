// Package version says which Kubarium this binary is.
package version

import "runtime/debug"

// release is the version of a release, which the linker sets: -X kubarium/app/version.release=v1.2.3.
var release string

// String is Kubarium's own version: that of the release, or that of its module, or the commit that it was built from.
func String() string {
	info, _ := debug.ReadBuildInfo()
	return Of(release, info)
}

// Of takes the first that is known; info may be nil.
func Of(release string, info *debug.BuildInfo) string {
	if release != "" {
		return release
	}
	if info == nil {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "-dirty"
		}
	}
	if commit == "" {
		return "devel"
	}
	return commit + changed
}
