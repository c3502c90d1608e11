package app

import (
	"errors"
	"math"
	"time"

	"github.com/spf13/cobra"

	"kubarium/app/book"
	"kubarium/app/cli"
	"kubarium/app/lang"
	"kubarium/app/version"
	"kubarium/scenarios/play"
)

// newScenarioBook is the command that makes a book of lessons.
func newScenarioBook() *cobra.Command {
	var words lang.Flag
	var out string
	cmd := &cobra.Command{
		Use:   "book [NAME|FILE.yaml…] --out DIR",
		Short: "Write lessons as HTML pages, to print, project and give away; all by default",
		Long: `Write lessons as HTML pages into a folder. Each lesson is played on a server that is started for this, and its page shows what was
sent and what came back. index.html has the contents. A page is one file that loads nothing. Secrets are masked.

A folder that has other files than those of a book is left alone. A file is one of a book if its first lines say so, in the meta element
"generator"; pages that an older book has and the new one does not are removed.`,
		Example: `  kubarium scenario book --out book
  kubarium scenario book --lang zh --out shu
  kubarium scenario book lost-update my.yaml --out handout`,

		ValidArgsFunction: completeLessons(math.MaxInt),
	}
	words.Declare(cmd.Flags())
	cmd.Flags().StringVar(&out, "out", "", "folder to write; it is made if need be")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if out == "" {
			return cli.Misuse(errors.New("say where to write the book: --out DIR"))
		}
		lessons, err := findLessons(args)
		if err != nil {
			return err
		}
		if lessons, err = words.Tell(lessons, false); err != nil {
			return err
		}
		if err := book.Check(lessons); err != nil {
			return cli.Misuse(err)
		}
		folder, err := book.Open(out)
		if err != nil {
			return cli.Misuse(err)
		}
		b := book.Book{Language: words.OfScreen(false), Program: "Kubarium " + version.String(), Now: time.Now()}
		return withOwnServer(cmd, func(server string, _ play.Options) error {
			pages, err := b.Make(cmd.Context(), lessons, server, play.Options{})
			if err != nil {
				return err
			}
			if err := folder.Write(pages); err != nil {
				return err
			}
			cli.Printf(cmd.OutOrStdout(), "%d pages in %s\n", len(pages), out)
			return nil
		})
	}
	return cmd
}
