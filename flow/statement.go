package flow

import (
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// A Statement is one SQL statement that ran for a request; or where the store is etcd, what etcd was asked, as etcdctl takes it: a range as a command,
// a transaction as its input. Values are bound in both.
type Statement struct {
	SQL    string        `json:"sql,omitzero"`
	Args   []string      `json:"args,omitzero"`  // bound values, long ones shortened
	Kinds  string        `json:"kinds,omitzero"` // what each of Args is, an ArgKind each
	Rows   int           `json:"rows,omitzero"`  // read or changed; of etcd keys
	Start  time.Duration `json:"start,omitzero"` // since the flow's Start
	Length time.Duration `json:"length,omitzero"`
	Lost   bool          `json:"lost,omitzero"` // a transaction of etcd whose comparisons did not hold
}

// An ArgKind is what a bound value is to SQLite, so that a literal can be made of it.
type ArgKind byte

const (
	ArgText      ArgKind = 't'
	ArgBlob      ArgKind = 'b'
	ArgNumber    ArgKind = 'n'
	ArgNull      ArgKind = '0'
	ArgLongText  ArgKind = 'T' // shortened, see ShortArg
	ArgLongBlob  ArgKind = 'B'
	mostArgBytes         = 120 // of a value that is not shortened
)

// Kind is what the i-th of Args is, counted from 0; ArgText where that was not recorded.
func (s *Statement) Kind(i int) ArgKind {
	if i >= len(s.Kinds) {
		return ArgText
	}
	return ArgKind(s.Kinds[i])
}

// ShortArg is how a long value stands in Args: its first bytes, and how many there are.
func ShortArg(value string) string {
	return value[:mostArgBytes] + "… (" + strconv.Itoa(len(value)) + " B)"
}

// Statement records SQL that ran for the request and took from start to now.
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

// argText shows a bound value, long ones shortened.
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
