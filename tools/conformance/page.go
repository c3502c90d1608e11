package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

//go:embed page.md.tmpl
var pageText string

// A sig is a line of the summary: how many specs of a SIG there are, and how many pass.
type sig struct {
	Name                                string
	Specs, Real, Kubarium, Both, NotRun int
}

// A group is a heading with the specs below it.
type group struct {
	Name string
	Rows []*row
}

// The page is what page.md.tmpl is given.
type page struct {
	Total    sig
	SIGs     []sig
	Both     []group // by SIG
	Kubarium []*row  // pass on Kubarium alone
	Real     []*row  // pass on the real control plane alone
	Neither  []group // by reason
	NotRun   []*row
}

func writePage(path string, t *table) error {
	text, err := makePage(t.rows)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

func makePage(rows []*row) ([]byte, error) {
	p := page{Total: sig{Name: "all"}}
	reasons := map[string]*group{}
	for _, r := range rows {
		name := regexp.MustCompile(`^\[sig-[a-z-]+\]`).FindString(r.Spec)
		if name == "" {
			return nil, fmt.Errorf("%q: no SIG", r.Spec)
		}
		name = strings.Trim(name, "[]")
		if n := len(p.SIGs); n == 0 || p.SIGs[n-1].Name != name {
			p.SIGs = append(p.SIGs, sig{Name: name})
			p.Both = append(p.Both, group{Name: name})
		}
		real, kubarium := r.Real.State == "pass", r.Kubarium.State == "pass"
		for _, s := range []*sig{&p.Total, &p.SIGs[len(p.SIGs)-1]} {
			s.Specs++
			s.Real += one(real)
			s.Kubarium += one(kubarium)
			s.Both += one(real && kubarium)
			s.NotRun += one(!r.ran())
		}
		switch {
		case !r.ran():
			p.NotRun = append(p.NotRun, r)
		case real && kubarium:
			g := &p.Both[len(p.Both)-1]
			g.Rows = append(g.Rows, r)
		case real:
			p.Real = append(p.Real, r)
		case kubarium:
			p.Kubarium = append(p.Kubarium, r)
		default:
			reason, err := reasonOf(r)
			if err != nil {
				return nil, err
			}
			if reasons[reason] == nil {
				reasons[reason] = &group{Name: reason}
			}
			reasons[reason].Rows = append(reasons[reason].Rows, r)
		}
	}
	for _, rule := range rules {
		if g := reasons[rule.reason]; g != nil && !slices.ContainsFunc(p.Neither, func(o group) bool { return o.Name == g.Name }) {
			p.Neither = append(p.Neither, *g)
		}
	}
	p.Both = slices.DeleteFunc(p.Both, func(g group) bool { return len(g.Rows) == 0 })
	t, err := template.New("page").Funcs(template.FuncMap{"short": short, "said": said}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, p)
	return b.Bytes(), err
}

// ran reports whether both servers were asked.
func (r *row) ran() bool { return r.Real.State != "" && r.Kubarium.State != "" }

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

var (
	tags  = regexp.MustCompile(` ?\[(sig-[a-z-]+|(Node)?Conformance|LinuxOnly|StatefulSetBasic|Slow|[A-Za-z]+:[^\]]+)\]`)
	ids   = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	bars  = strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "[", `\[`, "_", `\_`)
	spots = regexp.MustCompile(`127\.0\.0\.1:[^ ",]*`)
)

// short is a spec's name without its tags.
func short(spec string) string {
	return bars.Replace(strings.TrimSpace(tags.ReplaceAllString(spec, "")))
}

// said is the beginning of a failure's message.
func said(message string) string {
	message = spots.ReplaceAllString(ids.ReplaceAllString(message, "…"), "…")
	if r := []rune(message); len(r) > 140 {
		message = string(r[:140]) + "…"
	}
	return bars.Replace(message)
}
