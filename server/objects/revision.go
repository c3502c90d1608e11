package objects

import (
	"strconv"

	"kubarium/server/storage"
)

// FormatRevision is the resourceVersion that a revision has on the wire: "" for 0.
func FormatRevision(r storage.Revision) string {
	return string(AppendRevision(nil, r))
}

// AppendRevision appends what FormatRevision returns.
func AppendRevision(dst []byte, r storage.Revision) []byte {
	if r == 0 {
		return dst
	}
	return strconv.AppendInt(dst, int64(r), 10)
}

// ParseRevision is the revision that a resourceVersion stands for; "" and "0" are 0. The error is that of the
// official parser, which kube-apiserver answers with.
func ParseRevision(s string) (storage.Revision, error) {
	if s == "" || s == "0" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, err
	}
	return storage.Revision(n), nil
}
