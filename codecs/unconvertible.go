package codecs

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// An UnconvertibleError is why a body is refused that says it is of another kind than the one that is wanted.
type UnconvertibleError struct {
	From runtime.Object // what the body was read as
	To   runtime.Object // of the type that was wanted
}

// Error is the text of apimachinery's scheme.
func (e *UnconvertibleError) Error() string {
	return fmt.Sprintf("converting (%s) to (%s): unknown conversion", typeName(e.From), typeName(e.To))
}

func typeName(obj runtime.Object) string { return strings.TrimPrefix(fmt.Sprintf("%T", obj), "*") }
