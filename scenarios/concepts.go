package scenarios

import (
	_ "embed"
	"sync"

	"kubarium/scenarios/document"
)

//go:embed concepts.yaml
var conceptsFile []byte

// A Concept is a section of the official page "Kubernetes API Concepts", with lessons that show what it says.
type Concept struct {
	ID      string            `yaml:"id"`    // its anchor on the page
	Title   map[string]string `yaml:"title"` // by language; en is the original
	Lessons []string          `yaml:"lessons"`
}

// ConceptsPage is the address of that page.
const ConceptsPage = "https://kubernetes.io/docs/reference/using-api/api-concepts/"

// In returns the section's title in a language, "" being the original; in the original if it has no other.
func (c *Concept) In(language string) string {
	if title := c.Title[language]; title != "" {
		return title
	}
	return c.Title["en"]
}

// Concepts are the sections that lessons show, in the page's order.
var Concepts = sync.OnceValues(func() (all []Concept, err error) {
	return all, document.Read("concepts.yaml", conceptsFile, "list", &all)
})
