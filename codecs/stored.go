package codecs

import (
	"errors"
	"unicode/utf8"

	kjson "sigs.k8s.io/json"
)

// ReadStored reads a stored value, which is JSON, into an object. It refuses what JSON parsers let pass: a value that the
// store cannot read, and bytes that are not UTF-8, which no JSON text may have (RFC 8259, section 8.1).
func ReadStored(value []byte, into any) error {
	switch {
	case len(value) == 0:
		return errors.New("the database cannot read it")
	case !utf8.Valid(value):
		return errors.New("invalid UTF-8")
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(value, into)
}
