package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/envtest"
	"kubarium/app/remedy"
)

func newEnvtest() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "envtest",
		Short: "Put etcd and kube-apiserver into a folder for controller-runtime's envtest",
		Long: `Put this binary into a folder under the names etcd and kube-apiserver, with kubectl next to them if it is installed. The line on
stdout makes controller-runtime's envtest, and others that read the variable, start them instead of etcd and kube-apiserver:

    eval "$(kubarium envtest --dir bin/envtest)"
    go test ./...

Another run replaces files that are older than the binary.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if folder == "" {
				return cli.Misuse(errors.New("--dir must name a folder"))
			}
			binary, err := os.Executable()
			if err != nil {
				return err
			}
			dir, did, err := envtest.Lay(folder, binary)
			if err != nil {
				return remedy.Add(err, "say --dir FOLDER for one that can be written")
			}
			for _, line := range did {
				fmt.Fprintln(cmd.ErrOrStderr(), line)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "export KUBEBUILDER_ASSETS=%s\n", cli.Quote(dir))
			return err
		},
	}
	cmd.Flags().StringVar(&folder, "dir", "", "folder to put them into; created if it is missing")
	return cmd
}

func newEtcd() *cobra.Command {
	return &cobra.Command{
		Use:                envtest.Etcd,
		Short:              "Replace etcd for the command kube-apiserver",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := envtest.RunEtcd(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if wrong := (envtest.ErrUsage{}); errors.As(err, &wrong) {
				return cli.Misuse(err)
			}
			return remedy.Add(err, "say --data-dir FOLDER for one that can be written")
		},
	}
}
