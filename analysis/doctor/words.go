package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/flow/object"
)

// maxName is how many bytes of a client's name are shown: a client may send what it likes.
const maxName = 160

func cut(s string) string {
	s = object.OneLine(s)
	if len(s) <= maxName {
		return s
	}
	return strings.ToValidUTF8(s[:maxName], "") + "…"
}

// Plural is "1 request" or "14 requests".
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// was is the verb for so many.
func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// times is "once", "twice" or "14 times".
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// brief is a duration as people say it: "3.2 s", "120 ms", "4 min".
func brief(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "below 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// few is a list for people: its first entries, and how many there are more.
func few(list []string, most int) string {
	list = slices.Clone(list)
	if len(list) > most {
		list = append(list[:most], fmt.Sprintf("and %d more", len(list)-most))
	} else if n := len(list); n > 1 {
		list[n-2] += " and " + list[n-1]
		list = list[:n-1]
	}
	return strings.Join(list, ", ")
}

// nameOf is an object as findings name it: "deployments.apps default/web".
func nameOf(r object.Ref) string {
	switch {
	case r.Name == "" && r.Namespace == "":
		return r.Resource
	case r.Name == "":
		return r.Resource + " in namespace " + r.Namespace
	case r.Namespace == "":
		return r.Resource + " " + cut(r.Name)
	}
	return r.Resource + " " + r.Namespace + "/" + cut(r.Name)
}

// short is a value in a sentence.
func short(v any) string {
	if v == nil {
		return "nothing"
	}
	const most = 40
	s := []rune(object.Text(v))
	if len(s) > most {
		s = append(s[:most], '…')
	}
	return string(s)
}

// Size is a number of bytes as people say it.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
