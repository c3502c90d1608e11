package codecs

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// isPlain reports whether a text of printable ASCII, without spaces around it, can stand in a block as it is
// (go.yaml.in/yaml/v2, emitterc.go, yaml_emitter_analyze_scalar).
func isPlain(s string) bool {
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") || strings.IndexByte("#,[]{}&*!|>'\"%@`", s[0]) >= 0 {
		return false
	}
	if strings.IndexByte("?:-", s[0]) >= 0 && (len(s) == 1 || s[1] == ' ') {
		return false
	}
	return s[len(s)-1] != ':' && !strings.Contains(s, ": ") && !strings.Contains(s, " #")
}

// words are texts that YAML 1.1 reads as something else, besides numbers and times. All begin with one of wordHints or
// with a dot.
var words = []string{
	"", "~", "null", "Null", "NULL", "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", "n", "N", "no", "No", "NO",
	"false", "False", "FALSE", "off", "Off", "OFF", ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
}

const (
	wordHints   = "yYnNtTfFoO~"
	longestWord = 5
)

// readsAsText reports whether a text without quotes is read as text again, and not as a number, a time, nothing, or
// true or false (go.yaml.in/yaml/v2, resolve.go).
func readsAsText(s string) bool {
	if len(s) <= longestWord && slices.Contains(words, s) {
		return false
	}
	switch c := s[0]; {
	case c == '.':
		_, err := strconv.ParseFloat(s, 64)
		return err != nil
	case c == '+' || c == '-' || '0' <= c && c <= '9':
		return !readsAsTime(s) && !readsAsNumber(s) && !base60.MatchString(s)
	}
	return true
}

var (
	base60   = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$`)
	fraction = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

func readsAsNumber(s string) bool {
	s = strings.ReplaceAll(s, "_", "")
	if _, err := strconv.ParseInt(s, 0, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseUint(s, 0, 64); err == nil {
		return true
	}
	if fraction.MatchString(s) {
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return true
		}
	}
	return readsAsBinary(s)
}

// readsAsBinary is what goes beyond Go's own binary numbers.
func readsAsBinary(s string) bool {
	if digits, ok := strings.CutPrefix(s, "0b"); ok {
		_, err := strconv.ParseInt(digits, 2, 64)
		_, unsigned := strconv.ParseUint(digits, 2, 64)
		return err == nil || unsigned == nil
	}
	digits, ok := strings.CutPrefix(s, "-0b")
	_, err := strconv.ParseInt("-"+digits, 2, 64)
	return ok && err == nil
}

// timeLayouts are the times that YAML knows; all begin with a year of four digits.
var timeLayouts = []string{"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2"}

func readsAsTime(s string) bool {
	const year = len("2006")
	if len(s) <= year || s[year] != '-' || strings.Trim(s[:year], "0123456789") != "" {
		return false
	}
	return slices.ContainsFunc(timeLayouts, func(layout string) bool {
		_, err := time.Parse(layout, s)
		return err == nil
	})
}
