package tui

import (
	"os"
	"path/filepath"
)

// An intro is the first-run card: where the API listens, what is on screen, and how to begin.
type intro struct{ u *ui }

func (i *intro) key(_ host, k string) {
	u := i.u
	u.over = nil
	u.dismissIntro()
	switch k {
	case "y":
		u.do(copyEffect{kubectlLine(u)})
		u.say("copied %q via OSC 52", kubectlLine(u))
	case "space":
		if len(u.lesson.lessons) > 0 && u.lesson.open(u.lesson.lessons[0].Name) {
			u.relayout()
			u.lesson.toggle()
		}
	case "q", "esc", "enter":
	default:
		u.key(k)
	}
}

// kubectlLine is a command to begin with.
func kubectlLine(u *ui) string { return "kubectl" + u.serverFlag() + " get namespaces" }

func (i *intro) draw(c *canvas, screen rect) {
	u := i.u
	w := min(screen.w-4, 74)
	lines := []line{
		{{sPlain, "A Kubernetes API server listens on "}, {sAccent, u.url}, {sPlain, "."}},
		{{sPlain, "Type in another window ("}, {sKey, "y"}, {sPlain, " copies it):"}},
		{{sBold, "  " + kubectlLine(u)}},
		nil,
	}
	way := pick(u.lay.panes[1].empty(), "enter opens", "beside it is")
	lines = append(lines, wrapLines(sPlain, "Each request appears in the list while it happens; "+way+" the way it took through the server. 2 shows who watches.", w-4)...)
	lines = append(lines, nil)
	begin := line{{sKey, "?"}, {sPlain, " all keys    "}, {sKey, "enter"}, {sPlain, " begin"}}
	if len(u.lesson.lessons) > 0 {
		begin = append(line{{sKey, "space"}, {sPlain, " plays the first lesson    "}}, begin...)
	}
	box(c, screen, "Kubarium: the Kubernetes API under glass", append(lines, begin), w)
}

// introFile is where it is kept that the first-run card was dismissed; "" keeps nothing.
func (u *ui) introFile() string {
	if u.stateDir == "" {
		return ""
	}
	return filepath.Join(u.stateDir, "intro-dismissed")
}

func (u *ui) introDismissed() bool {
	file := u.introFile()
	if file == "" {
		return false
	}
	_, err := os.Stat(file)
	return err == nil
}

// dismissIntro remembers that the card was read. That it may be shown again is no reason to trouble anyone.
func (u *ui) dismissIntro() {
	file := u.introFile()
	if file == "" {
		return
	}
	u.do(workEffect{func() func() {
		if os.MkdirAll(filepath.Dir(file), 0o700) == nil {
			_ = os.WriteFile(file, nil, 0o600)
		}
		return func() {}
	}})
}
