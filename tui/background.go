package tui

import (
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	xterm "github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"kubarium/tui/term"
)

// backgroundLimit is how long the terminal has for saying what its background is.
const backgroundLimit = 100 * time.Millisecond

// lightBackground asks the terminal once whether its background is light. One that does not answer in time, that is no
// terminal, or that cannot be asked, is taken to be dark.
func lightBackground(in io.Reader, out io.Writer) bool {
	if light, known := term.LightByEnv(); known {
		return light
	}
	if runtime.GOOS == "windows" { // its console shows the question before it is told to take it as one
		return false
	}
	i, ok := in.(*os.File)
	o, isFile := out.(*os.File)
	if !ok || !isFile || !xterm.IsTerminal(i.Fd()) || !xterm.IsTerminal(o.Fd()) {
		return false
	}
	state, err := xterm.MakeRaw(i.Fd())
	if err != nil {
		return false
	}
	defer func() { _ = xterm.Restore(i.Fd(), state) }()
	// The second question is one that every terminal answers, so that the first one's silence is known at once.
	if _, err := io.WriteString(o, "\x1b]11;?\x07\x1b[c"); err != nil {
		return false
	}
	return isLight(readReply(i))
}

// readReply reads until the answer to the second question, or until the time is up.
func readReply(in *os.File) string {
	r, err := cancelreader.NewReader(in)
	if err != nil {
		return ""
	}
	defer r.Close()
	late := time.AfterFunc(backgroundLimit, func() { r.Cancel() })
	defer late.Stop()
	var got []byte
	buf := make([]byte, 64)
	for !strings.HasSuffix(string(got), "c") && len(got) < 256 {
		n, err := r.Read(buf)
		if err != nil {
			break
		}
		got = append(got, buf[:n]...)
	}
	return string(got)
}

// isLight reads a reply like "\x1b]11;rgb:ffff/ffff/dddd\x07": a background of which the luminance is over one half.
func isLight(reply string) bool {
	_, rgb, ok := strings.Cut(reply, "rgb:")
	if !ok {
		return false
	}
	parts := strings.SplitN(rgb, "/", 3)
	if len(parts) < 3 {
		return false
	}
	weights, sum := []float64{0.299, 0.587, 0.114}, 0.0
	for i, p := range parts {
		if end := strings.IndexFunc(p, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }); end >= 0 {
			p = p[:end]
		}
		v, err := strconv.ParseUint(p, 16, 16)
		if err != nil || len(p) == 0 {
			return false
		}
		sum += weights[i] * float64(v) / float64(uint64(1)<<(4*len(p))-1)
	}
	return sum > 0.5
}
