package app

import (
	"context"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/home"
	"kubarium/app/program"
	"kubarium/sqlitestore"
)

func newCheck() *cobra.Command {
	var path string
	var accept bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Report damage in a database",
		Long: `Read a database and report what is wrong with its files, which objects are damaged and why, and how many are intact.
Nothing is written, and a server may use the database meanwhile. The exit code is 0 when all is intact, and 1 when
something is not.

With --accept, a database that lacks acknowledged changes may be used again: after its write-ahead log was lost, or it
was replaced with an older copy. Resource versions continue above the lost ones, and clients list again.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := home.Named(path); err != nil {
				return cli.Misuse(err)
			}
			if accept {
				return acceptDatabase(cmd.Context(), path, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return check(cmd.Context(), path, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&path, "db", home.DB(), "database file")
	cmd.Flags().BoolVar(&accept, "accept", false, "use a database that lacks acknowledged changes")
	return cmd
}

// check prints what is found in a database, a line each.
func check(ctx context.Context, path string, out io.Writer) error {
	r, err := sqlitestore.Examine(ctx, path)
	if err != nil {
		return err
	}
	cli.Printf(out, "database %s at revision %d\n", path, r.Revision)
	for _, text := range r.Problems {
		cli.Printf(out, "wrong: %s\n", text)
	}
	for _, d := range r.Damaged {
		cli.Printf(out, "damaged: %s at revision %d: %s\n", d.Key, d.Revision, d.Why)
	}
	for _, resource := range slices.Sorted(maps.Keys(r.Whole)) {
		cli.Printf(out, "whole: %d %s\n", r.Whole[resource], resource)
	}
	if len(r.Problems)+len(r.Damaged) > 0 {
		cli.Printf(out, "not whole: %d damaged objects, %d other findings\n", len(r.Damaged), len(r.Problems))
		return cli.ExitCode(1)
	}
	return nil
}

// acceptDatabase makes a database usable that has less than was acknowledged.
func acceptDatabase(ctx context.Context, path string, out, errs io.Writer) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	s, err := sqlitestore.Open(ctx, sqlitestore.Options{Path: path, Accept: true, Logger: cli.NewLogger(errs)})
	if err != nil {
		return (&program.Config{DB: path, Remedy: "run this as a user who can write it"}).Advise(err)
	}
	newest, _ := s.Head()
	if err := s.Close(); err != nil {
		return err
	}
	cli.Printf(out, "database %s goes on at revision %d\n", path, newest)
	return nil
}
