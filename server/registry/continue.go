package registry

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"kubarium/server/storage"
)

// A continueToken is the official form of a continue token's content: JSON in unpadded URL base64. It is not signed.
type continueToken struct {
	Version  string `json:"v"`
	Revision int64  `json:"rv"`    // -1: at the newest state
	Start    string `json:"start"` // first key of the next page, below the list's prefix
}

const tokenVersion = "meta.k8s.io/v1"

// encodeContinue makes the token of a page that begins behind the key name after.
func encodeContinue(after, prefix string, at storage.Revision) string {
	data, err := json.Marshal(continueToken{Version: tokenVersion, Revision: int64(at), Start: strings.TrimPrefix(after, prefix) + "\x00"})
	if err != nil {
		panic(err) // a struct of strings and numbers
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// decodeContinue reads a token back: the key name behind which to begin, and the revision. The messages are those of
// kube-apiserver.
func decodeContinue(token, prefix string) (after string, at storage.Revision, err error) {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return "", 0, fmt.Errorf("continue key is not valid: %w", err)
	}
	var c continueToken
	if err := json.Unmarshal(data, &c); err != nil {
		return "", 0, fmt.Errorf("continue key is not valid: %w", err)
	}
	switch {
	case c.Version != tokenVersion:
		return "", 0, fmt.Errorf("continue key is not valid: server does not recognize this encoded version %v", c.Version)
	case c.Revision == 0:
		return "", 0, errors.New("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case c.Start == "":
		return "", 0, errors.New("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
	}
	// A start such as "../other/x" would leave the list's own keys.
	key := "/" + strings.TrimPrefix(c.Start, "/")
	if path.Clean(key) != key {
		return "", 0, fmt.Errorf("continue key is not valid: %v", c.Start)
	}
	return prefix + before(key[1:]), storage.Revision(c.Revision), nil
}

// before is the key name behind which start is the first possible one.
func before(start string) string {
	if s, ok := strings.CutSuffix(start, "\x00"); ok {
		return s
	}
	last := len(start) - 1
	return start[:last] + string(rune(start[last]-1)) + "\xff"
}
