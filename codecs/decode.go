package codecs

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// A Validation says what becomes of unknown and duplicate fields in a body (query parameter fieldValidation).
type Validation int

const (
	Ignore Validation = iota // they are dropped without a word
	Warn                     // they are dropped, each with a warning
	Strict                   // they are an error
)

// ValidationOf reads a fieldValidation directive; "" is Warn. Other words than those three have been refused before, by
// the validation of the options that they came in.
func ValidationOf(directive string) Validation {
	switch directive {
	case metav1.FieldValidationIgnore:
		return Ignore
	case metav1.FieldValidationStrict:
		return Strict
	}
	return Warn
}

// Decode reads one object into into, or into a new object if into is nil.
//
// gvk is what the body calls itself, completed by defaults where it says nothing; it is the zero value when the body
// could not be read so far. A body of another kind than into, and one of an unknown kind, is an error; one of another
// group version of the same Go type is not: the caller compares gvk. Under Warn the unknown and duplicate fields are
// warnings; under Strict they are an error for which runtime.IsStrictDecodingError is true. DecodeError words all errors.
func (c *Codec) Decode(data []byte, defaults schema.GroupVersionKind, into runtime.Object, v Validation) (obj runtime.Object, gvk schema.GroupVersionKind, warnings []string, err error) {
	return c.DecodeCoerced(data, defaults, into, v, nil)
}

// A Coercion gives an object of no Go type the form that its schema says, and lists what it did not know if it is asked
// to. An error means that the object cannot have that form.
type Coercion func(obj runtime.Object, listUnknown bool) (unknown []error, err error)

// DecodeCoerced is Decode for an object that coerce completes; nil is Decode. Fields unknown to coerce are treated
// like fields unknown to the encoding, except for CBOR, which does not report them.
func (c *Codec) DecodeCoerced(data []byte, defaults schema.GroupVersionKind, into runtime.Object, v Validation, coerce Coercion) (obj runtime.Object, gvk schema.GroupVersionKind, warnings []string, err error) {
	if err := c.Bound(data, into); err != nil {
		return nil, gvk, nil, err
	}
	from := c.strict
	if v == Ignore {
		from = c.plain
	}
	obj, actual, err := from.Decode(data, &defaults, into)
	if err != nil && c == JSON {
		if _, invalid := json.DefaultMetaFactory.Interpret(data); invalid != nil {
			actual, err = nil, invalid
		}
	}
	if actual != nil {
		gvk = *actual
	}
	var faults []error
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		faults = strict.Errors()
		if obj != nil {
			err = nil
		}
	}
	if err == nil && coerce != nil {
		var unknown []error
		unknown, err = coerce(obj, v != Ignore && c.IsText())
		faults = append(faults, unknown...)
	}
	switch {
	case err == nil && len(faults) > 0 && v == Warn:
		warnings = strictWarnings(faults)
	case err == nil && len(faults) > 0:
		err = runtime.NewStrictDecodingError(faults)
		fallthrough
	case runtime.IsStrictDecodingError(err):
		err = shortened(faults, err)
	}
	if err != nil {
		return nil, gvk, nil, err
	}
	if into != nil && obj != into {
		return nil, gvk, warnings, &UnconvertibleError{From: obj, To: into}
	}
	return obj, gvk, warnings, nil
}

// yamlErrors opens the one error in which the YAML library lists all that it found.
const yamlErrors = "yaml: unmarshal errors:\n"

// maxFaults is how many unknown and duplicate fields are reported of one body: as many as the JSON decoder does.
const maxFaults = 100

// strictWarnings makes a warning of each error, and of each line of an error that the YAML library made.
func strictWarnings(errs []error) []string {
	var warnings []string
	for _, err := range errs {
		text := err.Error()
		_, lines, fromYAML := strings.Cut(text, yamlErrors)
		if !fromYAML {
			warnings = append(warnings, text)
			continue
		}
		for line := range strings.SplitSeq(lines, "\n") {
			if len(warnings) == maxFaults {
				break
			}
			warnings = append(warnings, strings.TrimSpace(line))
		}
	}
	return warnings[:min(len(warnings), maxFaults)]
}

// longError is from how many bytes on the text of an error is shortened. What JSON can make of faults stays far below.
const longError = 64 << 10

// shortened is err, or its first faults if YAML with a million duplicate keys has made it as long as the body.
func shortened(errs []error, err error) error {
	if len(err.Error()) <= longError {
		return err
	}
	var first []error
	for _, fault := range strictWarnings(errs) {
		first = append(first, errors.New(fault))
	}
	return runtime.NewStrictDecodingError(first)
}

// DecodeError words an error of Decode as a Status error 400, except one of Bound, which is a Status already. gvk is
// what Decode returned, want is the kind that was expected, and body the request's body: the message shows its
// beginning if not even its kind could be read.
func DecodeError(err error, gvk schema.GroupVersionKind, want string, body []byte) error {
	if apierrors.IsRequestEntityTooLargeError(err) {
		return err
	}
	if gvk.Kind != "" {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, want, err))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", want, err, summary(body)))
}

// summaryLength is how many bytes of a body an error message shows.
const summaryLength = 30

// summary shows the beginning of a body: as text if it looks like a JSON object, else in hex.
func summary(body []byte) string {
	if len(body) == 0 {
		return "<empty>"
	}
	head, more := body, ""
	if len(body) > summaryLength {
		head, more = body[:summaryLength], " ..."
	}
	if body[0] == '{' {
		return string(head) + more
	}
	return hex.EncodeToString(head) + more
}
