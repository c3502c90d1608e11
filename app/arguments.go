package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kubarium/app/cli"
	"kubarium/server/nearest"
)

// noArguments is for a command that takes flags alone.
var noArguments = arguments(0, 0)

// arguments lets a command have from least to most arguments, and says otherwise what is missing or too much.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return cli.Misuse(fmt.Errorf("an argument is missing; usage: %s", cmd.UseLine()))
		case len(args) <= most:
			return nil
		case cmd.HasAvailableSubCommands():
			return unknownCommand(cmd, args[0])
		}
		return cli.Misuse(fmt.Errorf("unexpected argument %q; usage: %s", args[most], cmd.UseLine()))
	}
}

// group makes a command of one that only has others below it: alone it prints its help.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = noArguments
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// unknownCommand says that a command has none of this name below it.
func unknownCommand(cmd *cobra.Command, name string) error {
	if cmd.SuggestionsMinimumDistance == 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	hint := ""
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		hint = ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return cli.Misuse(fmt.Errorf("unknown command %q for %q%s", name, cmd.CommandPath(), hint))
}

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return cli.Misuse(unknownFlag(cmd.Flags(), unknown))
	case errors.As(err, &value):
		return cli.Misuse(fmt.Errorf("--%s %s: %w", value.GetFlag().Name, value.GetValue(), cli.Cause(err)))
	}
	return cli.Misuse(err)
}

// unknownFlag names the flag that may have been meant; "-theme" is as near to --theme as can be.
func unknownFlag(flags *pflag.FlagSet, err *pflag.NotExistError) error {
	typed, word := "--"+err.GetSpecifiedName(), err.GetSpecifiedName()
	if short := err.GetSpecifiedShortnames(); short != "" {
		typed, word = "-"+short, short
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if name := nearest.Word(word, names); name != "" {
		return fmt.Errorf("unknown flag %s, did you mean --%s?", typed, name)
	}
	return fmt.Errorf("unknown flag %s", typed)
}
