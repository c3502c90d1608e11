package app

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/lang"
	"kubarium/app/runs"
	"kubarium/scenarios/translation"
)

// newScenarioTranslate is the command that makes and renews translations.
func newScenarioTranslate() *cobra.Command {
	var to lang.Flag
	var out string
	cmd := &cobra.Command{
		Use:   "translate NAME|FILE.yaml --lang LANG",
		Short: "Write a lesson's translation, or renew it",
		Long: `Write a file for the translation of a lesson, which belongs next to the lesson's own: my.zh.yaml next to my.yaml. If there is one already,
what it has is kept. What it lacks is there as a comment, in the lesson's own words, and so does what has changed in the lesson
since it was translated. "kubarium scenario verify" reports both until it is done.`,
		Example: `  kubarium scenario translate my.yaml --lang de --out my.de.yaml
  for f in *.zh.yaml; do kubarium scenario translate ${f%.zh.yaml}.yaml --lang zh --out $f; done`,
		Args: arguments(1, 1),

		ValidArgsFunction: completeLessons(1),
	}
	to.Declare(cmd.Flags())
	cmd.Flags().Lookup("lang").Usage = "the language to translate into, such as zh or pt-BR"
	cmd.Flags().StringVar(&out, "out", "", "file to write (default: stdout)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if to.Said == "" {
			return cli.Misuse(errors.New("say into which language: --lang zh"))
		}
		tag, err := lang.Parse(to.Said)
		if err != nil {
			return cli.Misuse(fmt.Errorf("--lang %s: %w", to.Said, err))
		}
		if lang.IsOriginal(tag) {
			return cli.Misuse(fmt.Errorf("--lang %s: that is the language of the lessons themselves", to.Said))
		}
		lessons, err := findLessons(args)
		if err != nil {
			return err
		}
		text, gaps, err := translation.Renewed(lessons[0], tag)
		if err != nil {
			return err
		}
		for _, g := range gaps {
			if g.Field == "" && g.Of != "" {
				cli.Printf(cmd.ErrOrStderr(), "kubarium: %s: %s\n", lessons[0].Name, g)
			}
		}
		return runs.WriteTo(out, cmd.OutOrStdout(), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	return cmd
}
