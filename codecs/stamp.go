package codecs

import (
	"bytes"
	"encoding/json"
)

// A Place says where in a stored object's JSON its metadata and its resourceVersion go. It is found once (FindPlace)
// and used for each answer. The zero Place is that of an object whose members are in no known order.
type Place struct {
	Metadata int32 // offset of the member "metadata", its opening quote
	Version  int32 // offset inside metadata at which the resourceVersion is put
}

// Stamp appends a stored object to dst with its resourceVersion set in metadata. value is a JSON object; p is what
// FindPlace says of it. One in an order that no encoder writes, made outside, is put in order on the way. An empty version
// leaves the field out.
func Stamp[V string | []byte](dst, value []byte, p Place, version V) []byte {
	if p == (Place{}) {
		return append(dst, stampAny(value, string(version), false)...)
	}
	return stampAt(append(dst, value[:p.Version]...), value[p.Version:], version)
}

// StampItem is Stamp for an item of a list of a built-in kind, which carries neither kind nor apiVersion.
func StampItem[V string | []byte](dst, value []byte, p Place, version V) []byte {
	if p == (Place{}) {
		return append(dst, stampAny(value, string(version), true)...)
	}
	dst = append(dst, '{')
	return stampAt(append(dst, value[p.Metadata:p.Version]...), value[p.Version:], version)
}

// stampAt appends the version as a member of metadata, and the rest of the object, which begins inside metadata.
func stampAt[V string | []byte](dst, rest []byte, version V) []byte {
	if len(version) == 0 {
		return append(dst, rest...)
	}
	if rest[0] == '}' && dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, `"resourceVersion":"`...)
	dst = append(dst, version...)
	dst = append(dst, '"')
	if rest[0] != '}' {
		dst = append(dst, ',')
	}
	return append(dst, rest...)
}

var (
	kindKey       = []byte(`{"kind":"`)
	apiVersionKey = []byte(`","apiVersion":"`)
	metadataKey   = []byte(`,"metadata":{`)
	versionKey    = []byte(`"resourceVersion"`)
	// leadingKeys are the members of metadata that come before the resourceVersion.
	leadingKeys = [][]byte{[]byte(`"name":"`), []byte(`"generateName":"`), []byte(`"namespace":"`), []byte(`"selfLink":"`), []byte(`"uid":"`)}
)

// FindPlace finds the place of the resourceVersion in an object written by the encoder.
func FindPlace(value []byte) Place {
	if !bytes.HasPrefix(value, kindKey) {
		return findSorted(value)
	}
	meta := bytes.Index(value, metadataKey)
	if meta < 0 || !headOnly(value[len(kindKey):meta]) || hasVersion(value[meta:]) {
		return Place{}
	}
	at := meta + len(metadataKey)
	for _, key := range leadingKeys {
		if !bytes.HasPrefix(value[at:], key) {
			continue
		}
		text := value[at+len(key):]
		length := bytes.IndexByte(text, '"')
		if bytes.IndexByte(text[:length], '\\') >= 0 {
			return Place{} // a name with an escape, which no name has that was checked: this quote may not be its end
		}
		end := at + len(key) + length + 1
		if value[end] == '}' {
			return Place{int32(meta + 1), int32(end)}
		}
		at = end + 1
	}
	return Place{int32(meta + 1), int32(at)}
}

// headOnly reports whether between the kind's quote and the metadata there is just the apiVersion.
func headOnly(head []byte) bool {
	i := bytes.IndexByte(head, '"')
	if i < 0 || !bytes.HasPrefix(head[i:], apiVersionKey) {
		return false
	}
	version := head[i+len(apiVersionKey):]
	return bytes.IndexByte(version, '"') == len(version)-1
}

// hasVersion reports whether the metadata, which value begins with, may have a resourceVersion of its own.
func hasVersion(value []byte) bool {
	if !bytes.Contains(value, versionKey) {
		return false
	}
	var meta struct {
		Version *string `json:"resourceVersion"`
	}
	err := json.NewDecoder(bytes.NewReader(value[len(metadataKey)-1:])).Decode(&meta)
	return err != nil || meta.Version != nil
}

// stampAny stamps an object whose members are in any order. A value that is not an object is returned as
// it is: its reader knows that already.
func stampAny(value []byte, version string, item bool) []byte {
	object, meta := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if json.Unmarshal(value, &object) != nil || json.Unmarshal(object["metadata"], &meta) != nil {
		return value
	}
	delete(meta, "resourceVersion")
	if version != "" {
		meta["resourceVersion"] = json.RawMessage(`"` + version + `"`)
	}
	if item {
		delete(object, "kind")
		delete(object, "apiVersion")
	}
	var err error
	if object["metadata"], err = json.Marshal(meta); err != nil {
		return value
	}
	out, err := json.Marshal(object)
	if err != nil {
		return value
	}
	return out
}
