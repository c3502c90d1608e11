package cli

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/server/nearest"
)

// A Choice is the value of a flag (github.com/spf13/pflag) that is one of a few words.
type Choice struct {
	text  *string
	Words []string
}

func NewChoice(text *string, value string, words ...string) *Choice {
	*text = value
	return &Choice{text, words}
}

// Set takes one of the words.
func (c *Choice) Set(text string) error {
	if err := OneOf(text, c.Words); err != nil {
		return err
	}
	*c.text = text
	return nil
}

func (c *Choice) String() string { return *c.text }

// Type names the value in a flag's help.
func (c *Choice) Type() string { return "string" }

// OneOf refuses a text that is none of these words.
func OneOf(text string, words []string) error {
	if slices.Contains(words, text) {
		return nil
	}
	last := len(words) - 1
	return fmt.Errorf("must be %s or %s%s", strings.Join(words[:last], ", "), words[last], nearest.Hint(text, words))
}
