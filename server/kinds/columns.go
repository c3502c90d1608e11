package kinds

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// What a cell says when there is nothing, or nothing known, to say.
const (
	none    = "<none>"
	unknown = "<unknown>"
)

var metaDoc = metav1.ObjectMeta{}.SwaggerDoc()

// nameColumn is the first column of almost every kind.
func nameColumn() metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: "Name", Type: "string", Format: "name", Description: metaDoc["name"]}
}

// ageColumn goes with a cell made by age.
func ageColumn() metav1.TableColumnDefinition {
	return column("Age", metaDoc["creationTimestamp"])
}

// column is a column of text that is always shown.
func column(name, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: name, Type: "string", Description: description}
}

// countColumn is a column of whole numbers that is always shown.
func countColumn(name, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: name, Type: "integer", Description: description}
}

// wideColumn is a column of text that kubectl shows with -o wide.
func wideColumn(name, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: name, Type: "string", Priority: 1, Description: description}
}

// age tells how long before now created was, as people read it: "5m", "3d2h".
func age(created metav1.Time, now time.Time) string {
	return since(created.Time, now)
}

// since is age for the other types of time; the zero time is unknown.
func since(t, now time.Time) string {
	if t.IsZero() {
		return unknown
	}
	return duration.HumanDuration(now.Sub(t))
}

// orElse returns s, or instead if s is empty.
func orElse(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}
