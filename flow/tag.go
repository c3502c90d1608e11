package flow

import (
	"fmt"
	"strings"
	"sync"
)

// LessonAgent is the prefix of the User-Agent of a lesson's actor: "kubarium-lesson/A".
const LessonAgent = "kubarium-lesson/"

// UIAgent is the prefix of the User-Agent of the terminal UI's own requests.
const UIAgent = "kubarium-ui"

// ReplayAgent is the prefix of the User-Agent of a request that the user made the UI send again. Its tag is "you": it
// is the user's request, not one of the UI's own. The original follows: "kubarium-ui/replay (#12)".
const ReplayAgent = UIAgent + "/replay"

// ActionAgent is the User-Agent of the user's actions on the screen: edits, labels, deletions. Its tag is also "you".
const ActionAgent = UIAgent + "/action"

// byReader reports whether the UI sent a request for its user, not for itself.
func byReader(agent string) bool {
	return strings.HasPrefix(agent, ReplayAgent) || strings.HasPrefix(agent, ActionAgent)
}

// Own reports whether Kubarium sent the request for itself: from a controller or its UI.
func (c Client) Own() bool { return isOwn(c.UserAgent) }

// isOwn is the same, judged by the User-Agent. It is called for every request.
func isOwn(agent string) bool {
	switch {
	case !strings.HasPrefix(agent, "kubarium-"):
		return false
	case strings.HasPrefix(agent, controllerAgent):
		return true
	}
	return strings.HasPrefix(agent, UIAgent) && !byReader(agent)
}

// controllerAgent is the prefix of the User-Agent of Kubarium's own controllers, followed by their name.
const controllerAgent = "kubarium-controller/"

// A tagger gives clients short names that stay the same during the run.
type tagger struct {
	mu    sync.Mutex
	tags  map[tagged]string
	count map[string]int // by prefix
}

// tagged distinguishes clients: by their program, its session and its port, or kubectl without a session by its
// connection.
type tagged struct{ agent, session, remote, via string }

// maxTags limits the memory of a tagger; clients beyond it have their prefix as tag.
const maxTags = 4096

func (t *tagger) tag(c Client) string {
	userAgent := c.UserAgent
	if actor, ok := strings.CutPrefix(userAgent, LessonAgent); ok {
		return actor
	}
	if byReader(userAgent) {
		return "you"
	}
	if strings.HasPrefix(userAgent, UIAgent) {
		return "ui"
	}
	if name, ok := strings.CutPrefix(userAgent, controllerAgent); ok {
		return name
	}
	key := tagged{agent: firstBytes(userAgent), session: firstBytes(c.Session), via: c.Via}
	first := tagged{remote: c.Remote}
	if c.Session == "" && isKubectl(userAgent) {
		key = first
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if tag, ok := t.tags[key]; ok {
		return tag
	}
	if tag, ok := t.tags[first]; ok && c.Session != "" { // a session takes over its connection; see Client.Run
		delete(t.tags, first)
		t.tags[key.cloned()] = tag
		return tag
	}
	prefix := tagPrefix(userAgent)
	if len(t.tags) >= maxTags {
		return prefix
	}
	if t.tags == nil {
		t.tags, t.count = map[tagged]string{}, map[string]int{}
	}
	t.count[prefix]++
	tag := fmt.Sprintf("%s%d", prefix, t.count[prefix])
	t.tags[key.cloned()] = tag
	return tag
}

// cloned returns the key without the memory of the request that its texts are part of.
func (k tagged) cloned() tagged {
	return tagged{strings.Clone(k.agent), strings.Clone(k.session), strings.Clone(k.remote), k.via}
}

// maxTagged is how many bytes of a User-Agent and of a session distinguish clients: they are kept during the run.
const maxTagged = 512

func firstBytes(s string) string { return s[:min(len(s), maxTagged)] }

// tagPrefix is a letter or two for the family of a client.
func tagPrefix(userAgent string) string {
	program, _, _ := strings.Cut(userAgent, "/")
	if isKubectl(program) {
		return "k"
	}
	switch strings.ToLower(program) {
	case "curl":
		return "c"
	case "helm":
		return "h"
	case "":
		return "x"
	case "mozilla":
		return "web"
	case "go-http-client":
		return "go"
	}
	p := strings.ToLower(program)
	return p[:min(len(p), 3)]
}
