package debug

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/app/cli"
	"kubarium/app/port"
	"kubarium/flow/rule"
	"kubarium/server/gate"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// allow refuses other methods.
func allow(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	http.Error(w, "use "+strings.Join(methods, " or "), http.StatusMethodNotAllowed)
	return false
}

// A refusalError is why a Program does not do what it is asked to.
type refusalError struct {
	code int // of the answer
	error
}

func (e refusalError) Unwrap() error { return e.error }

// Refusal returns an error that is answered with a status code.
func Refusal(code int, err error) error { return refusalError{code, err} }

// Wrong is the refusal of a request that makes no sense.
func Wrong(err error) error { return Refusal(http.StatusBadRequest, err) }

// ReadBody reads a body of at most most bytes: one JSON object without unknown fields. Without a body, into stays as
// it is.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64, into any) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, most))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil && d.Decode(&struct{}{}) != io.EOF {
		err = errors.New("more than one JSON object")
	}
	if err != nil {
		return Wrong(fmt.Errorf("the body must be a JSON object of what is asked: %w", err))
	}
	return nil
}

// Answer writes what do returns as JSON, no content for nil, or its error in one line.
func Answer(w http.ResponseWriter, do func() (any, error)) {
	found, err := do()
	if err != nil {
		http.Error(w, cli.FirstLine(err), debugCode(err))
		return
	}
	if found == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(found)
}

// debugCode is the status code of an error.
func debugCode(err error) int {
	var failure *storage.Failure
	var status apierrors.APIStatus
	var refused refusalError
	var tooLarge *http.MaxBytesError
	var taken port.InUse
	switch {
	case errors.As(err, &failure):
		if errors.As(registry.StoreError(failure), &status) {
			return int(status.Status().Code)
		}
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &refused):
		return refused.code
	case errors.Is(err, gate.ErrUnknown):
		return http.StatusNotFound
	case errors.Is(err, gate.ErrTooMany):
		return http.StatusConflict
	case errors.Is(err, gate.ErrText):
		return http.StatusUnprocessableEntity
	case cli.IsMisuse(err), errors.Is(err, rule.ErrInside), errors.Is(err, storage.ErrTooLarge):
		return http.StatusBadRequest
	case errors.Is(err, storage.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, storage.ErrExists), errors.As(err, &taken):
		return http.StatusConflict
	case errors.Is(err, storage.ErrExpired):
		return http.StatusGone
	case errors.Is(err, storage.ErrBusy), errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// maxAsked bounds the body of a request to /debug/, in bytes.
const maxAsked = 4096
