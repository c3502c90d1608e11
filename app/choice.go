package app

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/server/nearest"
)

// A choice is the value of a flag (github.com/spf13/pflag) that is one of a few words.
type choice struct {
	text  *string
	words []string
}

func newChoice(text *string, value string, words ...string) *choice {
	*text = value
	return &choice{text, words}
}

// Set takes one of the words.
func (c *choice) Set(text string) error {
	if err := oneOf(text, c.words); err != nil {
		return err
	}
	*c.text = text
	return nil
}

func (c *choice) String() string { return *c.text }

// Type names the value in a flag's help.
func (c *choice) Type() string { return "string" }

// oneOf refuses a text that is none of these words.
func oneOf(text string, words []string) error {
	if slices.Contains(words, text) {
		return nil
	}
	last := len(words) - 1
	return fmt.Errorf("must be %s or %s%s", strings.Join(words[:last], ", "), words[last], nearest.Hint(text, words))
}
