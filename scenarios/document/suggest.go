package document

import (
	"slices"
	"strings"
)

// NoneOf says that a word is none of those that are known, and which one may have been meant.
func NoneOf(word string, known []string) string {
	return "is none of " + strings.Join(known, ", ") + Meant(word, known)
}

// Meant asks whether a known word was meant; "" if none is near, and for one that is known, but elsewhere.
func Meant(word string, known []string) string {
	if near := Nearest(word, known); near != "" && near != word {
		return ", did you mean " + near + "?"
	}
	return ""
}

// Nearest returns the known word that a word is a slip of: at most a third of its letters differ. "" if there is none.
func Nearest(word string, known []string) string {
	best, least := "", len([]rune(word))/3+1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance: how many letters have to be put in, taken out or replaced.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		before := slices.Clone(row)
		row[0] = i + 1
		for j := range to {
			cost := 1
			if from[i] == to[j] {
				cost = 0
			}
			row[j+1] = min(before[j]+cost, before[j+1]+1, row[j]+1)
		}
	}
	return row[len(to)]
}
