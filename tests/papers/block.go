// Package papers runs the shell blocks of README.md and docs as a reader types them, and draws the pictures of these
// pages from the screen that the reader then sees.
//
// A block is a fence with the language "sh". A page's blocks run in their order, in one folder, each in a shell of its
// own that ends at the first command that fails, with kubectl, kubarium and a go that works in the clone on the PATH. A
// page of docs finds what README's first block starts: a server with its screen. Words after the language say what is
// special:
//
//	keeps-running    the command stays in the foreground of a terminal until the page ends
//	needs=NAME,…     the block is skipped where one of these programs is not installed
//	skip=REASON      the block is not run, for one of the reasons in Reasons
package papers

import (
	"fmt"
	"slices"
	"strings"
)

// A Block is a shell block of a page.
type Block struct {
	Line         int    // of its fence in the page, from 1
	Text         string // its commands, without the indentation of the fence
	KeepsRunning bool
	Needs        []string // programs
	Skip         string   // the reason not to run it; "" runs it
}

// Reasons are those for which a block may be skipped.
var Reasons = []string{
	"hours",     // it builds or measures for minutes or longer
	"screen",    // it is about a terminal that a test does not have
	"network",   // it needs programs that are only on the network
	"recursion", // it runs the tests
	"example",   // it names programs or files of the reader's
}

// Parse returns the shell blocks of a page. The error names the line of a fence that has an unknown word, or no end.
func Parse(page string) ([]Block, error) {
	var blocks []Block
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		indent, info, ok := strings.Cut(lines[i], "```")
		if !ok || strings.TrimSpace(indent) != "" {
			continue
		}
		begin := i
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
		}
		if i == len(lines) {
			return nil, fmt.Errorf("line %d: the block has no end", begin+1)
		}
		words := strings.Fields(info)
		if len(words) == 0 || words[0] != "sh" {
			continue
		}
		b := Block{Line: begin + 1}
		for _, line := range lines[begin+1 : i] {
			b.Text += strings.TrimPrefix(line, indent) + "\n"
		}
		for _, word := range words[1:] {
			if err := b.set(word); err != nil {
				return nil, fmt.Errorf("line %d: %w", b.Line, err)
			}
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

func (b *Block) set(word string) error {
	name, value, _ := strings.Cut(word, "=")
	switch {
	case word == "keeps-running":
		b.KeepsRunning = true
	case name == "needs" && value != "":
		b.Needs = strings.Split(value, ",")
	case name == "skip" && slices.Contains(Reasons, value):
		b.Skip = value
	default:
		return fmt.Errorf("unknown word %q after sh", word)
	}
	return nil
}
