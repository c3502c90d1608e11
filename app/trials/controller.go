package trials

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"kubarium/app/child"
)

// comeUp is how long a controller that ended by itself stays down.
const comeUp = time.Second

// A kept is a controller next to a command: it is kept running, and can be killed at any moment.
type kept struct {
	words, environment []string
	out                io.Writer

	mu      sync.Mutex // guards what follows
	process *exec.Cmd
	ended   chan struct{} // of the process
	stopped bool
	falls   int   // how often it ended by itself
	failed  error // why it could not be started again
}

// start starts the controller. One that cannot be started is an error; one that ends is started again.
func (k *kept) start() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.begin()
}

// begin starts a process, unless the controller was stopped for good; k.mu is held.
func (k *kept) begin() error {
	if k.stopped {
		return nil
	}
	c := exec.Command(k.words[0], k.words[1:]...)
	c.Env, c.Stdout, c.Stderr = k.environment, k.out, k.out
	c.WaitDelay = time.Second
	child.Detach(c)
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	k.process, k.ended = c, ended
	go func() {
		_ = c.Wait()
		close(ended)
		k.fell(c)
	}()
	return nil
}

// fell starts the controller again if it ended by itself.
func (k *kept) fell(c *exec.Cmd) {
	time.Sleep(comeUp)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.process != c || k.stopped {
		return
	}
	k.falls++
	k.failed = k.begin()
}

// fallen is how often it ended by itself.
func (k *kept) fallen() int {
	if k == nil {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.falls
}

// lost is why the controller could not be started again, nil if it could.
func (k *kept) lost() error {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failed == nil {
		return nil
	}
	return fmt.Errorf("--controller was not started again: %w", k.failed)
}

// kill ends the process at once, as kill -9 does, and waits for its end. It stays down until start.
func (k *kept) kill() {
	k.mu.Lock()
	c, ended := k.process, k.ended
	k.process = nil
	k.mu.Unlock()
	if c == nil {
		return
	}
	child.KillGroup(c)
	<-ended
}

// stop ends the controller for good, and gives it a moment for that.
func (k *kept) stop() {
	k.mu.Lock()
	k.stopped = true
	c, ended := k.process, k.ended
	k.mu.Unlock()
	if c == nil {
		return
	}
	_ = c.Process.Signal(os.Interrupt)
	select {
	case <-ended:
	case <-time.After(comeUp):
	}
	child.KillGroup(c) // what it may have started
	<-ended
}

// splitWords splits a command line into words; words in quotes may have spaces.
func splitWords(text string) (words []string, err error) {
	var word []rune
	var quote rune
	within := false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word = append(word, r)
		case r == '"' || r == '\'':
			quote, within = r, true
		case r == ' ' || r == '\t':
			if within {
				words = append(words, string(word))
			}
			word, within = nil, false
		default:
			word, within = append(word, r), true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if within {
		words = append(words, string(word))
	}
	return words, nil
}
