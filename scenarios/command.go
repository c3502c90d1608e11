package scenarios

import "regexp"

// kubectl matches each kubectl that begins a command, also after a pipe.
var kubectl = regexp.MustCompile(`(^|[|;&(]\s*|\n\s*)kubectl `)

// Command returns a command of a lesson with flags by which kubectl finds the server, such as " -s http://127.0.0.1:1234", after
// each kubectl in it.
func Command(you, flags string) string {
	if flags == "" {
		return you
	}
	return kubectl.ReplaceAllStringFunc(you, func(s string) string { return s[:len(s)-1] + flags + " " })
}

// IsCommand reports whether You is a command, and not words.
func (s *Step) IsCommand() bool { return s.As == Reader || kubectl.MatchString(s.You) }
