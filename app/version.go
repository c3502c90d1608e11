package app

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"kubarium/server"
)

// version is that of a release, which the linker is told: -X kubarium/app.version=v1.2.3.
var version string

// Version is Kubarium's own version: that of the release, or that of its module, or the commit that it was built from.
func Version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, info)
}

// versionOf takes the first that is known; info may be nil.
func versionOf(release string, info *debug.BuildInfo) string {
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

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and that of the Kubernetes API it serves",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersion(cmd) },
	}
}

func printVersion(cmd *cobra.Command) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "kubarium %s\nKubernetes API %s\n%s %s/%s\n",
		Version(), server.KubernetesVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
