package story

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"kubarium/flow"
)

// SQL returns the statements of a flow with their values, to paste into a SQLite shell; "" if none ran. A statement
// with a value that is not recorded, or is secret, is a comment that says so.
func SQL(f *flow.Flow, options ...Option) string {
	var b strings.Builder
	for i := range f.Statements {
		b.WriteString(statement(f, &f.Statements[i], options))
	}
	return b.String()
}

func statement(f *flow.Flow, s *flow.Statement, options []Option) string {
	values := make([]string, len(s.Args))
	why := ""
	for i := range s.Args {
		var missing string
		if values[i], missing = literal(f, s, i, options); missing != "" {
			why = missing
		}
	}
	text := strings.TrimSpace(bind(s.SQL, values, skipped)) + ";"
	if why == "" {
		return text + "\n"
	}
	return "-- " + why + "\n-- " + strings.ReplaceAll(text, "\n", "\n-- ") + "\n"
}

// literal returns a bound value as a SQL literal, or a placeholder and why it is missing.
func literal(f *flow.Flow, s *flow.Statement, i int, options []Option) (text, missing string) {
	value, missing := bound(f, s, i, options)
	if missing != "" {
		return value, missing
	}
	kind := s.Kind(i)
	switch kind {
	case flow.ArgNumber:
		return value, ""
	case flow.ArgNull:
		return "NULL", ""
	}
	if kind == flow.ArgBlob || kind == flow.ArgLongBlob {
		return "X'" + hex.EncodeToString([]byte(value)) + "'", ""
	}
	return textLiteral(value), ""
}

// bound returns a bound value, or a placeholder and why it is missing.
func bound(f *flow.Flow, s *flow.Statement, i int, options []Option) (value, missing string) {
	value = s.Args[i]
	if holdsSecrets(f) && !isUnmasked(options) && strings.ContainsRune(value, '{') {
		return mask, fmt.Sprintf("value %d may hold secrets and is masked: fill it in", i+1)
	}
	if kind := s.Kind(i); kind != flow.ArgLongText && kind != flow.ArgLongBlob {
		return value, ""
	}
	whole, ok := wholeValue(f, value)
	if !ok {
		return fmt.Sprintf("?%d", i+1), fmt.Sprintf("value %d is not recorded in full: %s", i+1, oneLine(value))
	}
	return whole, ""
}

// textLiteral quotes a text. With bytes that a shell or a terminal would interpret, it is written in hexadecimal.
func textLiteral(s string) string {
	strange := func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }
	if !utf8.ValidString(s) || strings.ContainsFunc(s, strange) {
		return "CAST(X'" + hex.EncodeToString([]byte(s)) + "' AS TEXT)"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// wholeValue finds a shortened value among the objects that the request wrote: a write binds the stored object; in etcd
// it follows the line of its envelope.
func wholeValue(f *flow.Flow, short string) (string, bool) {
	envelope := ""
	if end := strings.IndexByte(short, '\n'); end >= 0 && !strings.HasPrefix(short, "{") {
		envelope = short[:end+1]
	}
	for _, e := range f.Effects {
		for _, object := range []flow.Bytes{e.After, e.Before} {
			s := envelope + string(object)
			if strings.HasPrefix(s, strings.SplitN(short, "…", 2)[0]) && flow.ShortArg(s) == short {
				return s, true
			}
		}
	}
	return "", false
}

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// bind replaces the parameters of a statement, ? and ?N, by values. skip returns how many bytes to leave unchanged.
func bind(sql string, values []string, skip func(rest string) int) string {
	var b strings.Builder
	next := 0
	for i := 0; i < len(sql); {
		if end := skip(sql[i:]); end > 0 {
			b.WriteString(sql[i : i+end])
			i += end
			continue
		}
		if sql[i] != '?' {
			b.WriteByte(sql[i])
			i++
			continue
		}
		n, digits := 0, 0
		for i++; i < len(sql) && '0' <= sql[i] && sql[i] <= '9'; i++ {
			n, digits = 10*n+int(sql[i]-'0'), digits+1
		}
		if digits == 0 {
			n = next + 1
		}
		next = max(next, n)
		if n < 1 || n > len(values) {
			b.WriteString("NULL") // SQLite's value of an unbound parameter
			continue
		}
		b.WriteString(values[n-1])
	}
	return b.String()
}

// skipped returns the length of the quoted text or the comment at the beginning of sql, 0 if there is none.
func skipped(sql string) int {
	for _, p := range []struct{ begin, end string }{{"'", "'"}, {`"`, `"`}, {"`", "`"}, {"[", "]"}, {"--", "\n"},
		{"/*", "*/"}} {
		rest, ok := strings.CutPrefix(sql, p.begin)
		if !ok {
			continue
		}
		if i := strings.Index(rest, p.end); i >= 0 {
			return len(p.begin) + i + len(p.end)
		}
		return len(sql)
	}
	return 0
}
