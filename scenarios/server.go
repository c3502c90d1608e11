package scenarios

import "kubarium/scenarios/expr"

// A Server is one that a lesson brings with it: a webhook, or what an APIService leads to. The player serves it over TLS on the
// loopback interface of its own machine, from the lesson's first step until what the lesson made is removed. Texts of the lesson
// find it by placeholders that begin with its name in Lesson.Servers: {guard.url}, {guard.host}, {guard.port}, and {guard.ca}, which
// is the caBundle for its certificate. As a whole value {guard.port} is a number. The certificate is good for {guard.host}, for
// localhost, and for each Service in the lesson's namespace.
//
// Texts in a Server may have {ns}, {id}, {long} and those placeholders, and none that steps keep.
type Server struct {
	Reviews []Review `yaml:"reviews"` // how it answers an AdmissionReview: by the first that is for it; without one it allows it
	Routes  []Route  `yaml:"routes"`  // how it answers other requests; what has no route is a 404
}

// A Review is how a webhook answers an AdmissionReview. The zero Review allows what is asked.
type Review struct {
	Path     string                    `yaml:"path"`     // that the webhook is called by; "" means any
	When     map[string]expr.Condition `yaml:"when"`     // about the request in the AdmissionReview, by path: object.metadata.name, operation
	Deny     *Denial                   `yaml:"deny"`     // nil allows it
	Patch    []any                     `yaml:"patch"`    // operations of a JSON Patch
	Warnings []string                  `yaml:"warnings"` // for the client, as headers Warning
	Audit    map[string]string         `yaml:"audit"`    // audit annotations
	Drop     bool                      `yaml:"drop"`     // instead of all else, the connection ends without an answer
	Seconds  int                       `yaml:"seconds"`  // how long it thinks before it answers; 0 for no time
}

// A Denial is why something is refused.
type Denial struct {
	Code    int    `yaml:"code"` // the HTTP status; 0 leaves it to the API server, which takes 400
	Message string `yaml:"message"`
}

// A Route is how a server answers one sort of request.
type Route struct {
	Method  string            `yaml:"method"` // "" means GET
	Path    string            `yaml:"path"`   // without the query
	Status  int               `yaml:"status"` // 0 means 200
	Headers map[string]string `yaml:"headers"`
	Body    any               `yaml:"body"` // sent as JSON
	Text    string            `yaml:"text"` // sent as it is, instead of Body
}

// An Asked is what a server of the lesson must have been asked: at least one request was as this says. Of a step that sends a request only
// what came since then counts. Others may have asked in between, as API servers do to see whether it is there.
type Asked struct {
	Server  string                    `yaml:"server"` // the name of one in Lesson.Servers
	Method  string                    `yaml:"method"` // "" means any
	Path    string                    `yaml:"path"`   // without the query; "" means any
	None    bool                      `yaml:"none"`   // there must be no such request
	Query   *expr.Condition           `yaml:"query"`
	Client  *expr.Condition           `yaml:"client"` // the common name in the client certificate
	Headers map[string]expr.Condition `yaml:"headers"`
	Body    map[string]expr.Condition `yaml:"body"` // by path; that of an AdmissionReview has its request at request
}
