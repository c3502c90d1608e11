package app

import (
	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"kubarium/app/home"
	"kubarium/app/kubeconfig"
	"kubarium/app/remote"
)

func newKubeconfig() *cobra.Command {
	var k kubeconfig.Entry
	var file string
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print a kubeconfig for the running server",
		Long: `Print a kubeconfig for the running server, or with --out merge it into a file. kubectl finds the default address
without one. With --user it has a client certificate, signed by the CA next to the database, or in --store, and the address of HTTPS.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			k.Server = remote.URL(k.Server)
			if err := k.Complete(cmd.Context()); err != nil {
				return err
			}
			if file == "" {
				text, err := yaml.Marshal(k.Merge(map[string]any{}))
				if err == nil {
					_, err = cmd.OutOrStdout().Write(text)
				}
				return err
			}
			return k.Write(file)
		},
	}
	cmd.Flags().StringVar(&k.Server, "server", "", "address of the server (default "+remote.Plain+", or with --user "+remote.Secure+")")
	cmd.Flags().StringVar(&k.User, "user", "", "name of a user, for whom a client certificate is created")
	cmd.Flags().StringArrayVar(&k.Groups, "group", nil, "group of the user; may be given several times")
	cmd.Flags().StringVar(&k.DB, "db", home.DB(), "database file; the CA is next to it")
	k.Store.Flags(cmd.Flags())
	cmd.Flags().StringVar(&file, "out", "", "merge into this file instead of printing")
	return cmd
}
