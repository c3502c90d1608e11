package registry

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// A List is the answer to a list: objects in key order at one revision.
type List struct {
	Revision  storage.Revision
	Objects   []*cache.Object
	Continue  string // token for the next page, "" when this is the last
	Remaining *int64 // objects after this page; nil if unknown, which it is with a selector
	Past      bool   // whether the objects were read from the history and not from the snapshot in memory
}

// Size is how many bytes its objects take as they are stored.
func (l *List) Size() (bytes int) {
	for _, o := range l.Objects {
		bytes += len(o.Value)
	}
	return bytes
}

// A listRead says at which revision a list reads, and from where.
type listRead struct {
	at     storage.Revision // exactly this one; 0 means a snapshot
	min    storage.Revision // a snapshot not older than this
	prefix string           // of key names
	after  string           // begin after this key name
	paging bool             // a continue token led here
}

// planRead decides what resourceVersion, resourceVersionMatch, limit and continue mean together.
func planRead(t Target, o metainternal.ListOptions) (listRead, error) {
	read := listRead{}
	if t.Namespace != "" && t.Kind.Namespaced {
		read.prefix = t.Namespace + "/"
	}
	if o.Continue != "" {
		return planContinue(read, o)
	}
	rev, err := readRevision(o.ResourceVersion)
	if err != nil {
		return read, badRevision(err)
	}
	if o.ResourceVersion == "0" {
		return read, nil // any state will do, and all of it: the limit has no meaning
	}
	exact := o.ResourceVersionMatch == metav1.ResourceVersionMatchExact ||
		o.ResourceVersionMatch == "" && o.Limit > 0
	if exact {
		read.at = rev
	} else {
		read.min = rev
	}
	return read, nil
}

// planContinue goes on where a token says: at its revision, or, with -1, at the newest state.
func planContinue(read listRead, o metainternal.ListOptions) (listRead, error) {
	after, at, err := decodeContinue(o.Continue, read.prefix)
	if err != nil {
		return read, apierrors.NewBadRequest(fmt.Sprintf("invalid continue token: %v", err))
	}
	if o.ResourceVersion != "" && o.ResourceVersion != "0" {
		return read, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	read.after, read.paging = after, true
	if at > 0 {
		read.at = at
	}
	return read, nil
}

// setContinue adds the token of the next page, and how many follow if no selector hides it.
func (l *List) setContinue(prefix, last string, m matcher, remaining int) {
	l.Continue = encodeContinue(last, prefix, l.Revision)
	if m.all() {
		n := int64(remaining)
		l.Remaining = &n
	}
}

// listError words what went wrong with the revision of a list.
func listError(err error, t Target, read listRead) error {
	if !errors.Is(err, storage.ErrExpired) {
		return interpret(err, t)
	}
	if !read.paging {
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	expired := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
		"Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.")
	expired.ErrStatus.Continue = encodeContinue(read.after, read.prefix, -1)
	return expired
}

// A continueToken is the official form of a continue token's content: JSON in unpadded URL base64. It is not signed.
type continueToken struct {
	Version  string `json:"v"`
	Revision int64  `json:"rv"`    // -1: at the newest state
	Start    string `json:"start"` // first key of the next page, below the list's prefix
}

const tokenVersion = "meta.k8s.io/v1"

// encodeContinue makes the token of a page that begins after the key name after.
func encodeContinue(after, prefix string, at storage.Revision) string {
	data, err := json.Marshal(continueToken{Version: tokenVersion, Revision: int64(at), Start: strings.TrimPrefix(after, prefix) + "\x00"})
	if err != nil {
		panic(err) // a struct of strings and numbers
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// decodeContinue reads a token back: the key name after which to begin, and the revision. The messages are those of
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

// before is the key name after which start is the first possible one.
func before(start string) string {
	if s, ok := strings.CutSuffix(start, "\x00"); ok {
		return s
	}
	last := len(start) - 1
	return start[:last] + string(rune(start[last]-1)) + "\xff"
}
