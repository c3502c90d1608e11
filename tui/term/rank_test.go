package term

import "testing"

// The name or key of a command finds that command first. Otherwise only beginnings of words match.
func TestRanked(t *testing.T) {
	all := []Command{
		{Keys: "q esc", Help: "back; on a screen itself, ask to quit"},
		{Keys: ":detach", Help: "close the UI and keep serving: no :quit"},
		{Keys: ":quit", Help: "stop the server and leave"}, {Keys: ":unmask", Help: "show Secrets"},
		{Keys: "u", Help: "ask the server again"}, {Keys: "U", Help: "go back"}, {Keys: "/", Name: "filter", Help: "narrow"},
		{Keys: ":snapshot", Help: "save"}, {Keys: ":snapshots", Help: "list"},
		{Keys: "M", Help: "unmark: unmask nothing"},
	}
	for typed, want := range map[string]string{
		"quit": ":quit", ":quit": ":quit", "QUIT": ":quit", "unmask": ":unmask", ":unm": ":unmask",
		"snapshot": ":snapshot", "snapshots": ":snapshots",
		"u": "u", "q": "q esc", "keep serving": ":detach", "": "q esc", "ask the ser": "u", "U": "U", "filter": "/", ":fil": "/",
	} {
		found := ranked(all, typed)
		if len(found) == 0 || found[0].Keys != want {
			t.Errorf("%q finds %v first, want %s", typed, found, want)
		}
	}
	for _, typed := range []string{"zzz", "aktsv", "help", "rest before", "erver"} {
		if found := ranked(all, typed); len(found) > 0 {
			t.Errorf("%s finds %v", typed, found)
		}
	}
}
