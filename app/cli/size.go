package cli

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

// A Size is the value of a flag: a number of bytes, as Kubernetes writes quantities.
type Size int64

func (s *Size) String() string { return resource.NewQuantity(int64(*s), resource.BinarySI).String() }

// Type names the value in a flag's help.
func (s *Size) Type() string { return "size" }

// Set takes a number of bytes such as 256Mi.
func (s *Size) Set(text string) error {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return fmt.Errorf("a size is a number like 256Mi, not %q", text)
	}
	*s = Size(q.Value())
	return nil
}
