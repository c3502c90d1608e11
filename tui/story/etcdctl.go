package story

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"kubarium/flow"
	"kubarium/flow/redact"
)

// Etcdctl returns commands that repeat a flow's requests to etcd, to paste into a shell; "" if there were none. Each
// begins with etcdctl, which includes the address of etcd. A command with a value that is not recorded, or is secret,
// is a comment that says so.
func Etcdctl(f *flow.Flow, etcdctl string, options ...Option) string {
	var b strings.Builder
	for i := range f.Statements {
		b.WriteString(etcdCommand(f, &f.Statements[i], etcdctl, options))
	}
	return b.String()
}

// ranged matches a comparison of all keys of a range.
var ranged = regexp.MustCompile(`mod\(\?\d+ \?\d+\)`)

func etcdCommand(f *flow.Flow, s *flow.Statement, etcdctl string, options []Option) string {
	// args are for a command, literals for the input of a transaction.
	args, literals := make([]string, len(s.Args)), make([]string, len(s.Args))
	why, asInput := "", strings.Contains(s.SQL, "\n")
	if ranged.MatchString(s.SQL) {
		why = "etcdctl has no form for a comparison of all keys of a range"
	}
	for i := range s.Args {
		value, missing := bound(f, s, i, options)
		if missing == "" && strings.Contains(value, redact.Hidden) {
			value, missing = mask, fmt.Sprintf("value %d holds secrets and is masked: fill it in", i+1)
		}
		args[i], literals[i] = Quote(value), etcdLiteral(s, i, value)
		if missing != "" {
			why, args[i], literals[i] = missing, value, value
		}
		asInput = asInput || strings.ContainsRune(value, 0) // which arguments of a command cannot contain
	}
	text := line(etcdctl, bindEtcd(s, args))
	switch {
	case asInput:
		text = etcdctl + " txn <<'EOF'\n" + etcdInput(bindEtcd(s, literals)) + "EOF"
	case strings.Contains(s.SQL, " --count-only"):
		text += " --write-out=fields" // which include the revision
	}
	if why == "" {
		return text + "\n"
	}
	return "# " + why + "\n# " + strings.ReplaceAll(text, "\n", "\n# ") + "\n"
}

// etcdInput is a transaction as etcdctl reads it: each of its three parts ends with an empty line. A range is a
// transaction that compares nothing.
func etcdInput(text string) string {
	if !strings.Contains(text, "\n") {
		return "\n" + text + "\n\n\n"
	}
	return text + "\n"
}

// etcdLiteral writes a bound value for the input of a transaction.
func etcdLiteral(s *flow.Statement, i int, value string) string {
	if s.Kind(i) == flow.ArgNumber {
		return value
	}
	return strconv.Quote(value)
}

// bindEtcd replaces parameters by values. None is inside quotes.
func bindEtcd(s *flow.Statement, values []string) string {
	return bind(s.SQL, values, func(string) int { return 0 })
}

// InPlace returns a request to etcd with its values, in the form of etcdctl, except values that are shortened or have
// several lines: rest are their indexes.
func InPlace(s *flow.Statement) (text string, rest []int) {
	values := make([]string, len(s.Args))
	for i, a := range s.Args {
		if s.Kind(i) == flow.ArgLongText || strings.ContainsRune(a, '\n') {
			values[i] = "?" + strconv.Itoa(i+1)
			rest = append(rest, i)
			continue
		}
		values[i] = etcdLiteral(s, i, a)
	}
	return bindEtcd(s, values), rest
}
