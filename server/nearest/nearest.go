// Package nearest finds the word that may have been meant where another one was typed.
package nearest

import "strings"

// Word returns the word that takes the fewest edits from s, if they are two at most and no more than half of its
// letters; "" otherwise. Upper and lower case are the same.
func Word(s string, words []string) string {
	best, least := "", min(2, len(s)/2)+1
	for _, w := range words {
		d := distance(strings.ToLower(s), strings.ToLower(w))
		if d < least && d < len(w) {
			best, least = w, d
		}
	}
	return best
}

// Hint is the end of an error's text: ", did you mean WORD?", or "" where no word is near.
func Hint(s string, words []string) string {
	if w := Word(s, words); w != "" {
		return ", did you mean " + w + "?"
	}
	return ""
}

// distance counts the insertions, deletions and replacements that turn a into b.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
