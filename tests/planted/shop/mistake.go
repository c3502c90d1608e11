package shop

import (
	"fmt"
	"slices"
	"strings"
)

// A Mistake is something that the controller does wrong.
type Mistake string

// The mistakes.
const (
	// Stale trusts its first list, which may show an old state: what a shop in deletion has is deleted by name, even if it
	// is long the property of another shop of that name. Without it the shop is read once more before anything is deleted.
	Stale Mistake = "stale"
	// Unseen writes the ledger by what happens to shops: a shop that comes is entered, one that goes is taken out. One
	// that went and came again unseen stays as it was. Without it the ledger is made of the shops that there are.
	Unseen Mistake = "unseen"
	// Twice gives a backup a random name, and notes it after its creation: if it does not learn that it was created, it
	// makes another. Without it the name is known before.
	Twice Mistake = "twice"
	// Late gives a clerk a random name, and looks for clerks in its cache alone: if that does not have the new one yet when
	// another shop of the plan comes, it makes another. Without it the name is known, so that there can be one only.
	Late Mistake = "late"
	// Away takes a customer out of the members when the event of the deletion comes: of one that is deleted while the
	// controller is down none comes. Without it the members are the customers that there are.
	Away Mistake = "away"
	// Refused logs that a part of a closed shop cannot be deleted, and lets the shop go: the next shop of that name gets the
	// old part. Without it the shop waits until the part is gone.
	Refused Mistake = "refused"
)

// Mistakes are all of them.
var Mistakes = []Mistake{Stale, Unseen, Twice, Late, Away, Refused}

// allMistakes are their names, separated by commas.
func allMistakes() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(Mistakes), " ", ","), "[]")
}

// ParseMistakes reads mistakes, separated by commas; "none" is none.
func ParseMistakes(text string) (out []Mistake, err error) {
	if text == "none" {
		return nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(Mistakes, Mistake(word)) {
			return nil, fmt.Errorf("no such mistake: %q; there are %s, and none", word, allMistakes())
		}
		out = append(out, Mistake(word))
	}
	return out, nil
}
