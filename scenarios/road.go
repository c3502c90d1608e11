package scenarios

import (
	_ "embed"
	"slices"
	"sync"

	"golang.org/x/text/language"

	"kubarium/scenarios/document"
)

//go:embed road.yaml
var roadFile []byte

// A road is a choice of the lessons that come with Kubarium, to be done before the others.
type road struct {
	Title   map[string]string `yaml:"title"`   // by language; en is the original
	Lessons []string          `yaml:"lessons"` // names, in order
}

var theRoad = sync.OnceValues(func() (*road, error) {
	r := &road{}
	return r, document.Read("road.yaml", roadFile, "road", r)
})

// Road returns the names of the lessons to be done first, in their order.
func Road() ([]string, error) {
	r, err := theRoad()
	return r.Lessons, err
}

// RoadTitle returns the heading of the road in a language; in the original if it has no other.
func RoadTitle(tag language.Tag) string {
	r, _ := theRoad() // Road says what is wrong with it
	if title := r.Title[tag.String()]; title != "" {
		return title
	}
	return r.Title["en"]
}

// alongRoad sorts files of lessons: those of the road first, in its order.
func alongRoad(files []string) ([]string, error) {
	names, err := Road()
	place := func(file string) int {
		if i := slices.Index(names, nameOf(file)); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(files, func(a, b string) int { return place(a) - place(b) })
	return files, err
}
