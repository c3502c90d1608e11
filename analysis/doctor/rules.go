package doctor

import (
	_ "embed"
	"slices"
	"sync"

	"sigs.k8s.io/yaml"
)

// A Severity says how much a finding matters.
type Severity string

// The severities, the gravest first.
const (
	Error   Severity = "error"   // data was lost, or a client makes no progress
	Warning Severity = "warning" // works, but costs more than it should, or will break on a larger cluster
	Note    Severity = "note"    // worth knowing; often meant so
)

// Severities are all of them, the gravest first.
func Severities() []Severity { return []Severity{Error, Warning, Note} }

// rank orders severities, the gravest first.
func (s Severity) rank() int {
	switch s {
	case Error:
		return 0
	case Warning:
		return 1
	}
	return 2
}

// A Rule is what can be found, and what to do about it.
type Rule struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Why      string   `json:"why"`      // why it matters
	Passage  string   `json:"passage"`  // section of the page Kubernetes API Concepts
	URL      string   `json:"url"`      // of the section
	Advice   string   `json:"advice"`   // what to do
	Severity Severity `json:"severity"` // the gravest that it reports
}

//go:embed rules.yaml
var rulesText []byte

var rules = sync.OnceValue(func() (all []Rule) {
	if err := yaml.UnmarshalStrict(rulesText, &all); err != nil {
		panic("rules.yaml: " + err.Error())
	}
	return all
})

// Rules returns all rules, in the order in which reports list them.
func Rules() []Rule { return slices.Clone(rules()) }
