package term

import (
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// looksOf returns the looks of a theme. No meaning depends on red against green, or only on colour: each state also has
// a glyph or a word.
func looksOf(r *lipgloss.Renderer, name string) *look {
	switch name {
	case "mono":
		return monoLook(r)
	case "contrast":
		return contrastLook(r)
	}
	if r.ColorProfile() == termenv.ANSI {
		return sixteenLook(r)
	}
	return fullLook(r)
}

// monoLook uses only bold, reverse and underline.
func monoLook(r *lipgloss.Renderer) *look {
	plain := r.NewStyle()
	bold, line, reverse := plain.Bold(true), plain.Underline(true), plain.Reverse(true)
	return &look{
		roles: [roles]lipgloss.Style{
			Bold: bold, Head: line, Accent: bold, Key: bold, Open: bold, Warn: bold, Err: bold, Add: bold, Del: line,
			Write: bold, Mode: reverse, Tab: bold.Reverse(true), Marked: bold.Underline(true),
		},
		selected: reverse, shadowed: bold, same: line,
	}
}

// contrastLook uses bright colours on the terminal's own background, even if it has more colours.
func contrastLook(r *lipgloss.Renderer) *look {
	bold := r.NewStyle().Bold(true)
	cyan, yellow, magenta := bold.Foreground(lipgloss.Color("14")), bold.Foreground(lipgloss.Color("11")),
		bold.Foreground(lipgloss.Color("13"))
	return &look{
		roles: [roles]lipgloss.Style{
			Bold: bold, Head: bold.Underline(true), Accent: cyan, Key: yellow, Open: cyan, Warn: yellow,
			Err: magenta.Reverse(true), Add: cyan, Del: yellow.Underline(true), Name: cyan, Num: bold, Write: bold,
			Mode: bold.Reverse(true), Tab: bold.Reverse(true), Marked: yellow,
		},
		selected: bold.Foreground(lipgloss.Color("0")).Background(lipgloss.Color("15")), shadowed: bold.Underline(true),
		same: plainLine(r), hides: true,
	}
}

// sixteenLook is dark and light with the 16 colours, whose shades the terminal's user has chosen.
func sixteenLook(r *lipgloss.Renderer) *look {
	plain := r.NewStyle()
	bold, faint, yellow := plain.Bold(true), plain.Faint(true), plain.Foreground(lipgloss.Color("3"))
	accent := plain.Foreground(lipgloss.AdaptiveColor{Dark: "6", Light: "4"})
	blue := plain.Foreground(lipgloss.AdaptiveColor{Dark: "12", Light: "4"})
	warn := yellow.Bold(!r.HasDarkBackground()) // yellow on white needs it
	return &look{
		roles: [roles]lipgloss.Style{
			Dim: faint, Bold: bold, Border: faint, Head: faint, Accent: accent, Key: accent.Bold(true), Open: accent,
			Warn: warn, Err: bold.Foreground(lipgloss.Color("5")), Add: blue, Del: yellow.Underline(true), Name: blue,
			Str: plain.Foreground(lipgloss.Color("2")), Num: plain.Foreground(lipgloss.Color("6")), Write: bold,
			Mode: plain.Reverse(true), Tab: accent.Bold(true).Underline(true), Marked: yellow.Bold(true),
		},
		selected: bold.Foreground(lipgloss.Color("15")).Background(lipgloss.Color("4")), shadowed: bold,
		same: plainLine(r), hides: true,
	}
}

// fullLook is dark and light with the colours of Okabe and Ito, which the colour-blind can distinguish, or the nearest
// of 256.
func fullLook(r *lipgloss.Renderer) *look {
	plain := r.NewStyle()
	bold := plain.Bold(true)
	on := func(dark, dark256, light, light256 string) lipgloss.Style {
		return plain.Foreground(shade(dark, dark256, light, light256))
	}
	dim, accent := on("#808a96", "245", "#6e7680", "243"), on("#56b4e9", "74", "#0072b2", "25")
	orange := on("#e69f00", "178", "#be5f00", "130")
	return &look{
		roles: [roles]lipgloss.Style{
			Dim: dim, Bold: bold, Border: on("#545e6c", "240", "#aab2bc", "249"), Head: dim, Accent: accent,
			Key: accent.Bold(true), Open: accent, Warn: orange,
			Err: on("#d889b4", "175", "#aa3c78", "132").Bold(true), Add: accent, Del: orange.Underline(true),
			Name: on("#78aad7", "110", "#005a96", "24"), Str: on("#78bea0", "108", "#007855", "29"),
			Num: on("#cdbe8c", "180", "#785a00", "94"), Write: bold, Mode: plain.Reverse(true),
			Tab: accent.Bold(true).Underline(true), Marked: on("#f0e442", "221", "#be5f00", "130").Bold(true),
		},
		selected: bold.Background(shade("#263a54", "237", "#cde0f6", "189")),
		shadowed: plain.Background(shade("#222a36", "235", "#e6ecf3", "255")), same: plainLine(r),
	}
}

// plainLine is an underline, which shows on any colour.
func plainLine(r *lipgloss.Renderer) lipgloss.Style { return r.NewStyle().Underline(true) }

// shade is a colour for dark and light backgrounds, each for true colour and for 256 colours.
func shade(dark, dark256, light, light256 string) lipgloss.CompleteAdaptiveColor {
	return lipgloss.CompleteAdaptiveColor{
		Dark:  lipgloss.CompleteColor{TrueColor: dark, ANSI256: dark256},
		Light: lipgloss.CompleteColor{TrueColor: light, ANSI256: light256},
	}
}
