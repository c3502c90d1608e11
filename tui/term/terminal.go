package term

import (
	"io"
	"strings"

	"github.com/muesli/termenv"
)

// NeedsASCII reports whether the terminal or the locale cannot show the glyphs in their width: the Linux console, a
// locale that is not UTF-8, and Chinese, Japanese and Korean ones, where several are two cells wide.
func NeedsASCII(env func(string) string) bool {
	locale := env("LC_ALL")
	if locale == "" {
		locale = env("LC_CTYPE")
	}
	if locale == "" {
		locale = env("LANG")
	}
	low := strings.ToLower(locale)
	if env("TERM") == "linux" {
		return true
	}
	if low != "" && !strings.Contains(low, "utf-8") && !strings.Contains(low, "utf8") {
		return true
	}
	return strings.HasPrefix(low, "zh") || strings.HasPrefix(low, "ja") || strings.HasPrefix(low, "ko")
}

// An environment answers termenv's questions.
type environment func(string) string

func (e environment) Getenv(name string) string { return e(name) }
func (e environment) Environ() []string         { return nil }

// colorProfile is how many colours the terminal has: NO_COLOR and TERM=dumb say none. A terminal that termenv does not
// know has 16, as nearly all have; the real VT series has none.
func colorProfile(env func(string) string) termenv.Profile {
	out := termenv.NewOutput(io.Discard, termenv.WithEnvironment(environment(env)), termenv.WithTTY(true))
	name := env("TERM")
	if out.Profile == termenv.Ascii && !out.EnvNoColor() && name != "dumb" && !strings.HasPrefix(name, "vt") {
		return termenv.ANSI
	}
	return out.Profile
}

// lightByEnv reads COLORFGBG ("0;15"), which some terminals set, and which is dark if it says nothing.
func lightByEnv(env func(string) string) bool {
	v := env("COLORFGBG")
	return strings.HasSuffix(v, ";7") || strings.HasSuffix(v, ";15")
}
