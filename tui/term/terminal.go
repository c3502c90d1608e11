package term

import (
	"io"
	"strconv"
	"strings"

	"github.com/muesli/termenv"
)

// CharsetOf is what the terminal and the locale can show in its width: ASCII alone on the Linux console and in a locale that is not
// UTF-8; and no glyphs in a Chinese, Japanese or Korean one, where several of them may be two cells wide, nor where RUNEWIDTH_EASTASIAN
// says so. Such locales show text in these scripts all the same.
func CharsetOf(env func(string) string) Charset {
	locale := env("LC_ALL")
	if locale == "" {
		locale = env("LC_CTYPE")
	}
	if locale == "" {
		locale = env("LANG")
	}
	low := strings.ToLower(locale)
	switch {
	case env("TERM") == "linux", low != "" && !strings.Contains(low, "utf-8") && !strings.Contains(low, "utf8"):
		return ASCIIOnly
	case strings.HasPrefix(low, "zh"), strings.HasPrefix(low, "ja"), strings.HasPrefix(low, "ko"):
		return SafeWidth
	}
	if wide, err := strconv.ParseBool(env("RUNEWIDTH_EASTASIAN")); err == nil && wide {
		return SafeWidth
	}
	return AllGlyphs
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
