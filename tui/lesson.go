package tui

// A Lesson is what the UI knows of a lesson: its texts, and the player that plays it over HTTP.
type Lesson struct {
	Name    string // as in `kubarium scenario run NAME`
	Title   string
	Summary string   // one or two sentences for the list of lessons
	Steps   []string // titles, in order
	Needs   []string // paths that the server must serve for it; nil for a lesson that needs nothing particular
	Player  Player
}

// A Player plays one lesson. Run, Step, Pause and Reset may block until a step is done: the UI calls them off its loop,
// one at a time. The others must answer at once, from any goroutine.
type Player interface {
	Run() error   // plays the steps that are left, with pauses to read, until the end, Pause, or a question
	Step() error  // plays one step; one that has a question is only asked, and played by the next call
	Pause() error // stops after the step under way
	Reset() error // removes what the lesson created and goes back to its start
	State() LessonState

	Answer(choice string)   // answers the question that the lesson waits with; Run or Step then goes on
	SetSpeed(times float64) // makes the pauses of Run shorter (over 1) or longer
	Told() []Telling        // what was told so far, a step each, the current one last
}

// A Telling is what a step of a lesson tells.
type Telling struct {
	Narration string
	LookAt    string // where on the screen to look; "" says nothing
	You       string // a command for the reader to try; "" offers none
}

// A Question asks the reader to foretell what a step brings.
type Question struct {
	Ask     string
	Choices []string
	Right   string // one of Choices
}

// A LessonState is where a lesson stands.
type LessonState struct {
	Phase    LessonPhase
	Done     int       // steps done
	Telling            // of the current step
	Problem  string    // why the lesson failed: what was expected and what came
	Question *Question // of the current step, nil if it has none
	Answer   string    // the reader's, "" if there is none
}

// A LessonPhase is what a player does.
type LessonPhase string

const (
	LessonIdle    LessonPhase = "idle"
	LessonRunning LessonPhase = "running"
	LessonPaused  LessonPhase = "paused"
	LessonWaiting LessonPhase = "waiting for you" // with its Question
	LessonFailed  LessonPhase = "failed"
	LessonDone    LessonPhase = "done"
)
