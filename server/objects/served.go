package objects

import (
	"bytes"
	"encoding/json"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// Served returns an object's JSON as its row serves it, without the resourceVersion, and the place where that goes.
// Most rows serve what is stored; for the others the served form is made once and kept for a while.
func Served(k *kinds.Kind, o *cache.Object) ([]byte, codecs.Place, error) {
	if k.AsStored() {
		return o.Value, place(o), nil
	}
	var failed error
	value := o.Form(k.FormName(), func(o *cache.Object) []byte {
		value, err := servedValue(k, o.Value)
		if failed = err; err != nil {
			return nil
		}
		if bytes.Equal(value, o.Value) {
			return []byte{} // nothing to keep: it is served as it is stored
		}
		return value
	})
	switch {
	case value == nil && failed == nil: // another caller met the error, which may be over
		return ServedRecord(k, storage.Record{Value: o.Value})
	case value == nil:
		return nil, codecs.Place{}, failed
	case len(value) == 0:
		return o.Value, place(o), nil
	}
	return value, codecs.FindPlace(value), nil
}

// ServedRecord is Served for an object that no cache holds, such as the one that a write has made.
func ServedRecord(k *kinds.Kind, r storage.Record) ([]byte, codecs.Place, error) {
	value := r.Value
	if !k.AsStored() {
		var err error
		if value, err = servedValue(k, value); err != nil {
			return nil, codecs.Place{}, err
		}
	}
	return value, codecs.FindPlace(value), nil
}

// servedValue makes the served JSON of the stored one.
func servedValue(k *kinds.Kind, value []byte) ([]byte, error) {
	obj, err := k.DecodeServed(value)
	if err != nil {
		return nil, err
	}
	return json.Marshal(obj)
}

// place is where an object's resourceVersion goes, as Index has found it.
func place(o *cache.Object) codecs.Place {
	return codecs.Place{Metadata: o.Marks[0], Version: o.Marks[1]}
}
