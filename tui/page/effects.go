package page

import "time"

// Effects: what a page asks to be done that is not done on the loop.
type (
	// A Copy hands text to the clipboard.
	Copy struct{ Text string }
	// A Later calls do on the loop after a while.
	Later struct {
		After time.Duration
		Do    func()
	}
	// A Work calls run off the loop, then the function that it returned on the loop.
	Work struct{ Run func() func() }
	// An Edit opens a text in the reader's editor, which has the terminal until it ends; then Done gets what was saved,
	// on the loop.
	Edit struct {
		Name string // the file's, of which the editor takes the form: "web.yaml"
		Text []byte
		Done func(saved []byte, err error)
	}
	// A Listen calls do on the loop when something comes from a channel.
	Listen struct {
		C  <-chan struct{}
		Do func()
	}
)

// A Toast is a line that is shown for some seconds.
type Toast struct {
	Text  string
	Until time.Time
}

// SettleTime is how long the cursor must rest before the server is asked for what is under it.
const SettleTime = 120 * time.Millisecond
