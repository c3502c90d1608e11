package etcdstore

import (
	"strconv"
	"strings"
	"unique"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// A script is what etcd is asked, as etcdctl takes it: a range as the command that reads it, a transaction as the
// input of "etcdctl txn", which is its comparisons, what is done where they hold, and what is done otherwise, with
// empty lines between. Keys, values and revisions are bound like the values of SQL, ?1 and so on, so that the same
// texts come again and again.
type script struct {
	b    strings.Builder
	args []any
}

// text is the script. Equal ones share their memory.
func (s *script) text() string { return unique.Make(s.b.String()).Value() }

func (s *script) word(w string) { s.b.WriteString(w) }

// bind writes the place of a value; one that comes again has one place.
func (s *script) bind(value any) {
	at := len(s.args)
	for i, known := range s.args {
		if known == value {
			at = i
		}
	}
	if at == len(s.args) {
		s.args = append(s.args, value)
	}
	s.word("?" + strconv.Itoa(at+1))
}

func (s *script) transaction(compares []clientv3.Cmp, then, otherwise []clientv3.Op) {
	for _, c := range compares {
		s.compare(c.GetCompare())
		s.word("\n")
	}
	for _, ops := range [][]clientv3.Op{then, otherwise} {
		s.word("\n")
		for _, op := range ops {
			s.op(op)
			s.word("\n")
		}
	}
}

// signs are those of comparisons.
var signs = map[etcdserverpb.Compare_CompareResult]string{
	etcdserverpb.Compare_EQUAL: " = ", etcdserverpb.Compare_NOT_EQUAL: " != ", etcdserverpb.Compare_GREATER: " > ", etcdserverpb.Compare_LESS: " < ",
}

// compare writes a comparison of revisions. One of all keys of a range has both of its ends, for which etcdctl has no
// form.
func (s *script) compare(c *etcdserverpb.Compare) {
	s.word("mod(")
	s.bind(string(c.Key))
	if len(c.RangeEnd) > 0 {
		s.word(" ")
		s.bind(string(c.RangeEnd))
	}
	s.word(")" + signs[c.Result])
	s.bind(strconv.FormatInt(c.GetModRevision(), 10)) // a text, in quotes
}

func (s *script) op(op clientv3.Op) {
	switch {
	case op.IsPut():
		s.word("put ")
	case op.IsDelete():
		s.word("del ")
	default:
		s.word("get ")
	}
	s.bind(string(op.KeyBytes()))
	switch {
	case op.IsPut():
		s.word(" ")
		s.bind(string(op.ValueBytes()))
	case len(op.RangeBytes()) > 0:
		s.word(" ")
		s.bind(string(op.RangeBytes()))
	}
	for _, f := range []struct {
		flag string
		set  int64
	}{{" --limit=", op.Limit()}, {" --rev=", op.Rev()}} {
		if f.set != 0 {
			s.word(f.flag)
			s.bind(f.set)
		}
	}
	if op.IsCountOnly() {
		s.word(" --count-only")
	}
	if op.IsPrevKV() {
		s.word(" --prev-kv")
	}
}
