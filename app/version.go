package app

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"kubarium/app/version"
	"kubarium/server"
)

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
		version.String(), server.KubernetesVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
