package flow

import (
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// A Statement is one SQL statement that ran for a request. If the store is etcd, it is a request to etcd in the form of
// etcdctl: a range as a command, a transaction as its input. Values are bound in both.
type Statement struct {
	SQL    string        `json:"sql,omitzero"`
	Args   []string      `json:"args,omitzero"`  // bound values, long ones shortened
	Kinds  string        `json:"kinds,omitzero"` // an ArgKind for each of Args
	Rows   int           `json:"rows,omitzero"`  // rows read or changed; in etcd, keys
	Start  time.Duration `json:"start,omitzero"` // since the flow's Start
	Length time.Duration `json:"length,omitzero"`
	Lost   bool          `json:"lost,omitzero"` // an etcd transaction whose comparisons failed
}

// An ArgKind is the SQLite type of a bound value, so that it can be written as a literal.
type ArgKind byte

// The kinds of bound values.
const (
	ArgText      ArgKind = 't'
	ArgBlob      ArgKind = 'b'
	ArgNumber    ArgKind = 'n'
	ArgNull      ArgKind = '0'
	ArgLongText  ArgKind = 'T' // shortened, see ShortArg
	ArgLongBlob  ArgKind = 'B'
	mostArgBytes         = 120 // of a value that is not shortened
)

// Kind returns the kind of the i-th of Args, counted from 0; ArgText if it was not recorded.
func (s *Statement) Kind(i int) ArgKind {
	if i >= len(s.Kinds) {
		return ArgText
	}
	return ArgKind(s.Kinds[i])
}

// ShortArg shortens a long value for Args: its first bytes, and its length.
func ShortArg(value string) string {
	return value[:mostArgBytes] + "… (" + strconv.Itoa(len(value)) + " B)"
}

// Statement records SQL that ran for the request from start until now.
func (r *Recorder) Statement(sql string, rows int, start time.Duration, args ...any) {
	if r == nil {
		return
	}
	s := Statement{SQL: sql, Rows: rows, Start: start, Length: r.Elapsed() - start, Args: make([]string, len(args))}
	var few [16]byte
	kinds := few[:0]
	for i, a := range args {
		var kind ArgKind
		s.Args[i], kind = argText(a)
		kinds = append(kinds, byte(kind))
	}
	s.Kinds = string(kinds)
	r.Flow.Statements = append(r.Flow.Statements, s)
}

// argText returns a bound value as text, shortened if it is long.
func argText(a any) (string, ArgKind) {
	switch v := a.(type) {
	case nil:
		return "", ArgNull
	case string:
		if len(v) > mostArgBytes {
			return ShortArg(v), ArgLongText
		}
		return v, ArgText
	case []byte:
		switch {
		case v == nil:
			return "", ArgNull
		case len(v) > mostArgBytes:
			return fmt.Sprintf("%s… (%d B)", v[:mostArgBytes], len(v)), ArgLongBlob
		}
		return string(v), ArgBlob
	}
	switch v := reflect.ValueOf(a); {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), ArgNumber
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), ArgNumber
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, 64), ArgNumber
	}
	return fmt.Sprint(a), ArgText
}
