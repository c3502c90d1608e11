package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app/program/programtest"
	"kubarium/app/shown"
	"kubarium/scenarios"
	"kubarium/scenarios/play"
	"kubarium/server/authz"
	"kubarium/tests/e2e"
)

// TestLessons plays all lessons as a user with kubectl: each command of a step that is the user's has the effect that
// the step needs, and neither kubectl nor Kubarium's controllers count as a disturbance.
func TestLessons(t *testing.T) {
	t.Parallel()
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	h := hand{commands(t, e2e.FindKubectl(t))}
	config := plain()
	config.Modes = authz.Modes{authz.ModeRBAC} // as in a server that the UI starts
	config.Nodes = 1
	p := start(t, config)
	programtest.Eventually(t, "a ready node", func() bool {
		_, text := programtest.Call(t, "GET", p.URL+"/api/v1/nodes", "", "")
		return strings.Contains(text, `"KubeletReady"`)
	})
	for _, l := range lessons {
		player := play.New(l, p.URL, play.Options{Ask: true, Leave: true, Witness: shown.Witness(p.Log)})
		for !isOver(player.State()) {
			if _, err := player.Step(t.Context()); err != nil {
				t.Errorf("%s: %v", l.Name, err)
				break
			}
			if s := player.State(); s.Notice != nil {
				t.Errorf("%s, step %d: %s", l.Name, s.Done, s.Notice)
			} else if s.Await != nil && !isOver(s) {
				h.play(t, player, s)
			}
		}
		if err := player.Reset(t.Context()); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
	}
}

// commands returns a function that makes commands for a POSIX shell with this kubectl and without kubeconfig.
func commands(t *testing.T, kubectl string) func(command string) *exec.Cmd {
	bin := t.TempDir()
	path, err := filepath.Abs(kubectl)
	if err == nil {
		err = os.Symlink(path, filepath.Join(bin, "kubectl"))
	}
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	return func(command string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home,
			"KUBECONFIG=")
		return cmd
	}
}

// A hand runs the user's commands.
type hand struct {
	shell func(command string) *exec.Cmd
}

// play runs the awaited command, and checks that this ends the step.
func (h hand) play(t *testing.T, p *play.Player, s play.State) {
	t.Helper()
	out, _ := h.shell(scenarios.Command(s.Await.Command, " -s "+p.Server)).CombinedOutput() // some commands must fail
	timeout := time.After(10 * time.Second)
	for {
		now := p.State()
		if told := p.Told(); now.Await == nil && now.Phase != play.Running && told[s.Done].Sent.ID != 0 {
			return
		}
		select {
		case <-p.Changed():
		case <-timeout:
			came := ""
			if now.Await != nil {
				came = now.Await.Came
			}
			t.Errorf("%s, step %d: %s\n%s\ncame: %s", p.Lesson.Name, s.Done+1, s.Await.Command, out, came)
			return
		}
	}
}

func isOver(s play.State) bool { return s.Phase == play.Done || s.Phase == play.Failed }
