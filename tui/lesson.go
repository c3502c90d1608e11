package tui

// A Lesson is what the UI knows of a lesson: its texts, and the player that plays it over HTTP.
type Lesson struct {
	Name    string // as in `kubarium scenario run NAME`
	Title   string
	Summary string   // one or two sentences for the list of lessons
	Steps   []string // titles, in order
	Player  Player
}

// A Player plays one lesson. Its methods may block until a step is done: the UI calls them off its loop, one at a time.
// State must answer at once, from any goroutine.
type Player interface {
	Run() error   // plays the steps that are left, with pauses to read, until the end or Pause
	Step() error  // plays one step
	Pause() error // stops after the step under way
	Reset() error // removes what the lesson created and goes back to its start
	State() LessonState
}

// A LessonState is where a lesson stands.
type LessonState struct {
	Phase     LessonPhase
	Done      int    // steps done
	Narration string // what the current step tells
	LookAt    string // where on the screen to look; "" says nothing
	You       string // a command for the reader to try; "" offers none
	Problem   string // why the lesson failed: what was expected and what came
}

// A LessonPhase is what a player does.
type LessonPhase string

const (
	LessonIdle    LessonPhase = "idle"
	LessonRunning LessonPhase = "running"
	LessonPaused  LessonPhase = "paused"
	LessonWaiting LessonPhase = "waiting for you"
	LessonFailed  LessonPhase = "failed"
	LessonDone    LessonPhase = "done"
)
