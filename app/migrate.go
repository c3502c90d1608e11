package app

import (
	"github.com/spf13/cobra"

	"kubarium/app/migration"
)

func newMigrate() *cobra.Command {
	var m migration.Migration
	cmd := &cobra.Command{
		Use:   "migrate --from STORE --to STORE",
		Short: "Copy all objects from one store to another",
		Long: `Copy all objects, with the keys and certificates next to them, from one store to another that has none: a database file,
or an etcd cluster such as etcd://10.0.0.1:2379/kubarium. No server may use either of them during this. Older revisions and
snapshots are not copied. No server opens what a killed migrate has left; the error says what to remove.

Resource versions never fall. A new database file keeps them as they are. etcd gives out its own: they are spent, with
one small write each, until they are above the old ones, and all older ones are Expired, so that clients list again.`,
		Example: `  kubarium migrate --from kubarium.db --to etcd://127.0.0.1:2379/kubarium
  kubarium migrate --from etcd://127.0.0.1:2379/kubarium --to new.db`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return m.Run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&m.From, "from", "", "database file or etcd cluster that has the objects; it stays as it is")
	f.StringVar(&m.To, "to", "", "new database file, or etcd cluster without objects below its prefix")
	m.TLS.ConnectionFlags(f)
	f.BoolVar(&m.TLS.Shared, "etcd-compact-shared", false, "compact an etcd cluster that holds keys of others too, whose history goes with it")
	return cmd
}
