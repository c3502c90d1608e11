package play

import (
	"unicode"

	"kubarium/cells"
)

// wordsOf counts the words of a text, for the time that it takes to read. In scripts without blanks two characters are a word.
func wordsOf(text string) int {
	words, characters, within := 0, 0, false
	for _, r := range text {
		switch {
		case cells.Ideographic(r):
			if unicode.IsLetter(r) {
				characters++
			}
			within = false
		case unicode.IsSpace(r):
			within = false
		case !within:
			words, within = words+1, true
		}
	}
	return words + (characters+1)/2
}
