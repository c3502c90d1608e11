package term

import (
	"io"
	"strconv"
	"strings"

	"github.com/muesli/termenv"
)

// CharsetOf returns what the terminal and the locale can show in the right width: ASCII on the Linux console and in a
// locale that is not UTF-8; twins for the glyphs in a Chinese, Japanese or Korean one, where several glyphs may be two
// cells wide, or if RUNEWIDTH_EASTASIAN says so. Text in these scripts is shown in any case.
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

// An environment provides variables to termenv.
type environment func(string) string

// Getenv implements termenv.Environ.
func (e environment) Getenv(name string) string { return e(name) }

// Environ implements termenv.Environ.
func (e environment) Environ() []string { return nil }

// colorProfile returns the colours of the terminal: none with NO_COLOR or TERM=dumb. A terminal that termenv does not
// know has 16, as nearly all do; the real VT series has none.
func colorProfile(env func(string) string) termenv.Profile {
	out := termenv.NewOutput(io.Discard, termenv.WithEnvironment(environment(env)), termenv.WithTTY(true))
	name := env("TERM")
	if out.Profile == termenv.Ascii && !out.EnvNoColor() && name != "dumb" && !strings.HasPrefix(name, "vt") {
		return termenv.ANSI
	}
	return out.Profile
}

// lightByEnv reads COLORFGBG ("0;15"), which some terminals set; without it the background is dark.
func lightByEnv(env func(string) string) bool {
	v := env("COLORFGBG")
	return strings.HasSuffix(v, ";7") || strings.HasSuffix(v, ";15")
}
