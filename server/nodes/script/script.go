// Package script reads the annotations by which a Pod says how its simulated containers shall behave:
// simulate.kubarium.dev/NAME for all of its containers, simulate.kubarium.dev/CONTAINER.NAME for one.
package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// Prefix begins the annotations.
	Prefix = "simulate.kubarium.dev/"
	// Mark is the annotation of what Kubarium simulates, with the value "true": Nodes and PersistentVolumes.
	Mark = "kubarium.dev/simulated"
)

// IsSimulated reports whether an object has the Mark.
func IsSimulated(o metav1.Object) bool { return o.GetAnnotations()[Mark] == "true" }

// A Script is how one container behaves. The zero Script is that of a container without annotations.
type Script struct {
	Exits      bool          // it ends by itself, see ExitAfter and ExitCode
	ExitAfter  time.Duration // since its start; 0 is the default of its kind of container
	ExitCode   int32         // 0 to 255
	NeverReady bool          // its readiness probe never succeeds
	ReadyAfter time.Duration // since its start; 0 is the default
	StartAfter time.Duration // how long it takes to be created, in addition to the default
	PullError  string        // why its image cannot be pulled; "" if it can
	Logs       *string       // what it has written; nil if nothing is said
	Exec       *Exec         // what a command in it answers; nil if nothing is said
}

// An Exec is the answer to a command that is executed in a container.
type Exec struct {
	Text string // on stdout
	Code int    // exit code, 0 to 255
}

// longest is the longest time that an annotation may say.
const longest = 24 * time.Hour

// readers set a part of a Script from the value of an annotation, by its name.
var readers = map[string]func(s *Script, value string) error{
	"exit-code": func(s *Script, v string) (err error) {
		s.Exits = true
		s.ExitCode, err = exitCode(v)
		return err
	},
	"exit-after": func(s *Script, v string) (err error) {
		s.Exits = true
		s.ExitAfter, err = duration(v)
		return err
	},
	"ready": func(s *Script, v string) error {
		ready, err := strconv.ParseBool(v)
		if err != nil {
			return fmt.Errorf("must be true or false, not %q", v)
		}
		s.NeverReady = !ready
		return nil
	},
	"ready-after": func(s *Script, v string) (err error) { s.ReadyAfter, err = duration(v); return err },
	"start-after": func(s *Script, v string) (err error) { s.StartAfter, err = duration(v); return err },
	"pull-error":  func(s *Script, v string) error { s.PullError = v; return nil },
	"logs":        func(s *Script, v string) error { s.Logs = &v; return nil },
	"exec":        func(s *Script, v string) error { s.exec().Text = v; return nil },
	"exec-code": func(s *Script, v string) error {
		code, err := exitCode(v)
		s.exec().Code = int(code)
		return err
	},
}

// Names are those of the annotations, after Prefix and the container, sorted.
func Names() []string {
	var names []string
	for n := range readers {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Of returns the script of a Pod's container of any kind. An annotation of the container overrides that of the Pod.
// Annotations that cannot be read change nothing.
func Of(pod *corev1.Pod, container string) Script {
	var s Script
	for _, prefix := range []string{Prefix, Prefix + container + "."} {
		for name, read := range readers {
			v, ok := pod.Annotations[prefix+name]
			if !ok {
				continue
			}
			if next := s; read(&next, v) == nil {
				s = next
			}
		}
	}
	return s
}

// Check returns what is wrong with a Pod's annotations, sorted, each with the annotation's name.
func Check(pod *corev1.Pod) []error {
	var wrong []error
	for key, v := range pod.Annotations {
		name, ours := strings.CutPrefix(key, Prefix)
		if !ours {
			continue
		}
		container, last, of := strings.Cut(name, ".")
		if of {
			name = last
		}
		read := readers[name]
		switch {
		case read == nil:
			wrong = append(wrong, fmt.Errorf("annotation %s: %q is none of %s", key, name, strings.Join(Names(), ", ")))
		case of && !slices.Contains(containers(pod), container):
			wrong = append(wrong, fmt.Errorf("annotation %s: the Pod has no container %q", key, container))
		default:
			if err := read(&Script{}, v); err != nil {
				wrong = append(wrong, fmt.Errorf("annotation %s: %w", key, err))
			}
		}
	}
	slices.SortFunc(wrong, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return wrong
}

// containers are the names of a Pod's containers of all kinds.
func containers(pod *corev1.Pod) (names []string) {
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		names = append(names, c.Name)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		names = append(names, c.Name)
	}
	return names
}

func (s *Script) exec() *Exec {
	if s.Exec == nil {
		s.Exec = &Exec{}
	} else {
		e := *s.Exec // Of may drop what comes
		s.Exec = &e
	}
	return s.Exec
}

func exitCode(v string) (int32, error) {
	n, err := strconv.ParseUint(v, 10, 8)
	if err != nil {
		return 0, fmt.Errorf("must be an exit code from 0 to 255, not %q", v)
	}
	return int32(n), nil
}

func duration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 || d > longest {
		return 0, fmt.Errorf("must be a time of more than 0 and at most 24h, such as 1.5s, not %q", v)
	}
	return d, nil
}
