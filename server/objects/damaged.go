package objects

import (
	"fmt"

	"kubarium/server/storage"
)

// Damaged is what is wrong with a row that no longer decodes, in the words of kube-apiserver; nil for a sound one.
func Damaged(rec storage.Record, err error) error {
	if err == nil {
		return nil
	}
	return &Undecodable{rec.Revision, err}
}

// An Undecodable is why a row cannot be read.
type Undecodable struct {
	revision storage.Revision
	err      error
}

func (e *Undecodable) Error() string {
	return fmt.Sprintf("object not decodable revision=%d: %v", e.revision, e.err)
}

func (e *Undecodable) Unwrap() error { return e.err }
