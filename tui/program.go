package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Messages of the program to itself. They carry no records: those are taken from the log when a frame is due.
type (
	frameMsg      struct{}             // something was published, and the next slot for a data frame has come
	tickMsg       struct{}             // a second has gone by while the picture changes by itself
	backgroundMsg struct{ light bool } // the terminal said what its background is
	doMsg         struct{ f func() }   // f is to be called on the loop
	panicMsg      struct{ err error }
)

// program is the ui as a Bubble Tea model. It and its file alone know Bubble Tea.
type program struct {
	ctx     context.Context
	u       *ui
	in      io.Reader // as it was given
	out     io.Writer
	screen  *screen
	replies *replyReader // nil where the terminal is asked for nothing
	drawn   bool         // the first frame is out
	meter   *meter
	wake    <-chan struct{} // of the log
	how     Quit
	err     error // a panic of the UI
	blurred bool
	ticking bool
}

// runProgram shows u until it ends.
func runProgram(ctx context.Context, u *ui, o Options) (Quit, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	u.ctx = ctx
	m := &meter{live: time.Second / time.Duration(o.FPS)}
	wake, end := o.Log.Subscribe()
	defer end()
	p := &program{ctx: ctx, u: u, meter: m, wake: wake, in: o.In, out: &meteredWriter{o.Out, m}, drawn: !isTerminal(o.Out), replies: newReplyReader(o.In, o.Out, os.Getenv)}
	p.screen = newScreen(o.In, o.Out, p.out)
	u.CopyRoute = clipboard{env: os.Getenv}.route()
	in := o.In
	if p.replies != nil {
		in = p.replies
	}
	u.recall()
	u.heed()
	u.heedCommand()
	u.followGate(ctx)
	u.heedGate()
	// The mouse matters to Bubble Tea where it comes in as events, on Windows; the screen alone writes to the terminal.
	t := tea.NewProgram(p, tea.WithInput(in), tea.WithoutRenderer(), tea.WithMouseCellMotion(), tea.WithoutSignalHandler(), tea.WithoutCatchPanics())
	if p.replies != nil {
		p.replies.background = func(light bool) { t.Send(backgroundMsg{light}) }
	}
	if err := p.screen.take(); err != nil {
		return QuitServe, fmt.Errorf("terminal UI: %w", err)
	}
	go p.screen.followSize(ctx, func(w, h int) { t.Send(tea.WindowSizeMsg{Width: w, Height: h}) })
	done := make(chan error, 1)
	go func() {
		_, err := t.Run()
		p.screen.release()
		done <- err
	}()
	err := waitFor(ctx, t, done)
	if errors.Is(err, errStuck) {
		return QuitStop, nil
	}
	switch {
	case p.err != nil:
		return QuitServe, p.err
	case err != nil:
		return QuitServe, fmt.Errorf("terminal UI: %w", err)
	}
	return p.how, nil
}

// stuckLimit is how long the terminal has for taking the last bytes after the end of the context.
const stuckLimit = time.Second

var errStuck = errors.New("the terminal does not take what is written to it")

// waitFor returns what the program ended with. The end of ctx quits it in good order; but then a terminal that no
// longer reads (^S) cannot keep the server from stopping: errStuck.
func waitFor(ctx context.Context, t *tea.Program, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		go t.Quit()
	}
	select {
	case err := <-done:
		return err
	case <-time.After(stuckLimit):
		return errStuck
	}
}

// Init asks for the first frame.
func (p *program) Init() tea.Cmd {
	return func() tea.Msg { return frameMsg{} }
}

// Update handles a message, and draws what has changed by it. A panic in it ends the program in good order, with the
// terminal restored.
func (p *program) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	defer func() {
		if v := recover(); v != nil {
			p.fail(v)
			m, cmd = p, tea.Quit
		}
	}()
	cmd = p.handle(msg)
	p.draw()
	return p, cmd
}

func (p *program) fail(v any) {
	if p.err == nil {
		p.err = fmt.Errorf("terminal UI: panic: %v\n%s", v, debug.Stack())
	}
}

// View is what Bubble Tea's renderer would draw. It has none: see draw.
func (p *program) View() string { return "" }

// draw shows the frame as it is now; none before the size of the terminal is known, and after a panic.
func (p *program) draw() {
	if p.err == nil && p.drawn {
		p.screen.draw(p.u.view(), p.u.w)
	}
}

func (p *program) handle(msg tea.Msg) tea.Cmd {
	if p.err != nil {
		return tea.Quit
	}
	var next tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyMsg:
		p.key(msg)
	case tea.MouseMsg:
		p.mouse(tea.MouseEvent(msg))
	case tea.WindowSizeMsg:
		p.resize(msg.Width, msg.Height)
	case backgroundMsg:
		p.u.onBackground(msg.light)
	case tea.FocusMsg:
		p.blurred = false
	case tea.BlurMsg:
		p.blurred = true
	case frameMsg:
		p.fold()
		next = p.await()
	case tickMsg:
		p.ticking = false
		p.fold()
	case doMsg:
		msg.f()
		p.u.guide.Follow()
		p.u.Dirty = true
	case panicMsg:
		p.err = msg.err
		return tea.Quit
	}
	return tea.Batch(append(p.effects(), next, p.tick())...)
}

// resize fits the frame to the terminal. The first time there is a frame at all; only then is the terminal asked for
// its background, so that nothing waits for an answer.
func (p *program) resize(w, h int) {
	p.u.resize(w, h)
	p.screen.forget() // whatever the terminal has made of it
	if p.drawn {
		return
	}
	p.drawn = true
	p.fold()
	p.draw()
	if p.u.auto && p.u.th.Name != "mono" {
		p.ask()
	}
}

// ask asks the terminal for its background. The answer comes in between the keys, if at all.
func (p *program) ask() {
	if p.replies != nil {
		p.replies.expect()
		_, _ = io.WriteString(p.out, backgroundQuery)
	}
}

// fold takes what was published and notes how the terminal does.
func (p *program) fold() {
	began := time.Now()
	v := &p.u.meter
	v.slot, v.write, v.bytes = p.meter.slot(p.blurred)
	p.u.fold()
	v.fold = time.Since(began)
}

// await waits until something is published, and then for the next slot.
func (p *program) await() tea.Cmd {
	slot, _, _ := p.meter.slot(p.blurred)
	wake, ctx := p.wake, p.ctx
	return func() tea.Msg {
		last := time.Now()
		select {
		case <-wake:
		case <-ctx.Done():
			return nil
		}
		if wait := slot - time.Since(last); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return nil
			}
		}
		return frameMsg{}
	}
}

// tick asks for a frame in a second while the picture changes by itself; otherwise an idle UI gets no messages at all.
func (p *program) tick() tea.Cmd {
	if p.ticking || p.u.frozen || !p.u.restless() {
		return nil
	}
	p.ticking = true
	every := time.Second
	if p.u.lesson.Active() || p.u.Front == page.Client && p.u.who().Hurried() {
		every = 250 * time.Millisecond
	}
	return tea.Tick(every, func(time.Time) tea.Msg { return tickMsg{} })
}

func (p *program) key(msg tea.KeyMsg) {
	if msg.Paste {
		p.u.paste(string(msg.Runes))
		return
	}
	if msg.Type == tea.KeyRunes && !msg.Alt {
		// Keys typed fast, or over a slow link, come together in one message.
		for _, r := range msg.Runes {
			p.u.key(keyOf(string(r)))
		}
		return
	}
	p.u.key(keyOf(msg.String()))
}

// keyOf is the name of a key in the table of bindings.
func keyOf(s string) string {
	if s == " " {
		return "space"
	}
	return s
}

func (p *program) mouse(e tea.MouseEvent) {
	switch {
	case e.Button == tea.MouseButtonWheelUp:
		p.u.wheel(e.X, e.Y, -3)
	case e.Button == tea.MouseButtonWheelDown:
		p.u.wheel(e.X, e.Y, 3)
	case e.Button == tea.MouseButtonLeft && e.Action == tea.MouseActionPress:
		p.u.click(e.X, e.Y)
	case e.Button == tea.MouseButtonLeft && e.Action == tea.MouseActionMotion && p.u.held:
		p.u.drag(e.X)
	case e.Action == tea.MouseActionRelease:
		p.u.release()
	}
}

// effects does what the ui asked for.
func (p *program) effects() []tea.Cmd {
	var cmds []tea.Cmd
	for _, e := range p.u.takeEffects() {
		switch e := e.(type) {
		case quitEffect:
			p.how = e.how
			cmds = append(cmds, tea.Quit)
		case backgroundEffect:
			p.ask()
		case page.Copy:
			cmds = append(cmds, p.copy(e.Text))
		case mouseEffect:
			p.screen.mouse(e.on)
			cmds = append(cmds, term.Pick(e.on, tea.EnableMouseCellMotion, tea.DisableMouse)) // for where it comes in as events
		case page.Later:
			cmds = append(cmds, tea.Tick(e.After, func(time.Time) tea.Msg { return doMsg{e.Do} }))
		case page.Work:
			cmds = append(cmds, work(e.Run))
		case page.Edit:
			cmds = append(cmds, p.edit(e))
		case page.Listen:
			cmds = append(cmds, p.listen(e))
		}
	}
	return cmds
}

// work runs f off the loop; a panic in it is the UI's.
func work(f func() func()) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				msg = panicMsg{fmt.Errorf("terminal UI: panic: %v\n%s", v, debug.Stack())}
			}
		}()
		return doMsg{f()}
	}
}

// listen waits for something from a channel.
func (p *program) listen(l page.Listen) tea.Cmd {
	ctx := p.ctx
	return func() tea.Msg {
		select {
		case <-l.C:
			return doMsg{l.Do}
		case <-ctx.Done():
			return nil
		}
	}
}

// copy hands text to the clipboard off the loop, and says where it may not have arrived.
func (p *program) copy(s string) tea.Cmd {
	board := clipboard{p.out, os.Getenv}
	return work(func() func() {
		note := board.copy(s)
		return func() {
			if note != "" {
				p.u.Say("%s", note)
			}
		}
	})
}
