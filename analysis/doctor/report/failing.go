package report

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/analysis/doctor"
	"kubarium/server/nearest"
)

// Failing reports whether a run has failed by its findings. The spec is a severity, for findings that are at least as
// grave, or names of rules, or both, separated by commas. An empty spec lets nothing fail; a name that is not known is
// an error.
func Failing(p *doctor.Report, spec string) (bool, error) {
	names := strings.FieldsFunc(spec, func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range names {
		if err := known(name); err != nil {
			return false, err
		}
	}
	return slices.ContainsFunc(p.Findings, func(f doctor.Finding) bool {
		return slices.ContainsFunc(names, func(name string) bool { return f.Rule == name || atLeast(f.Severity, name) })
	}), nil
}

// atLeast reports whether a severity is as grave as one of a name, which may be that of a rule.
func atLeast(s doctor.Severity, name string) bool {
	all := doctor.Severities()
	limit := slices.Index(all, doctor.Severity(name))
	return limit >= 0 && slices.Index(all, s) <= limit
}

// known is an error for what is neither a severity nor a rule.
func known(name string) error {
	var words []string
	for _, s := range doctor.Severities() {
		words = append(words, string(s))
	}
	for _, r := range doctor.Rules() {
		words = append(words, r.Name)
	}
	if slices.Contains(words, name) {
		return nil
	}
	return fmt.Errorf("unknown rule or severity %q%s", name, nearest.Hint(name, words))
}
