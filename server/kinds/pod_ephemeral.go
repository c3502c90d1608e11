package kinds

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// podEphemeralContainers is the row of a pod behind its subresource ephemeralcontainers, which adds such containers and
// changes nothing else.
func podEphemeralContainers() *Kind {
	k := pod()
	k.PrepareForUpdate = keepAllButEphemeral
	k.ValidateUpdate = validateEphemeralUpdate
	return k
}

func keepAllButEphemeral(obj, old runtime.Object) {
	p, was := obj.(*corev1.Pod), old.(*corev1.Pod)
	added := p.Spec.EphemeralContainers
	p.Spec = *was.Spec.DeepCopy()
	p.Spec.EphemeralContainers = added
	metav1.ResetObjectMetaForStatus(&p.ObjectMeta, &was.ObjectMeta)
}

// isStatic tells whether a pod is the shadow of one that its node runs on its own account.
func isStatic(p *corev1.Pod) bool {
	_, ok := p.Annotations[corev1.MirrorPodAnnotationKey]
	return ok
}

// validateEphemeralUpdate lets ephemeral containers be added; those that are there stay as they are. A patch may bring
// them in another order.
func validateEphemeralUpdate(obj, old runtime.Object) field.ErrorList {
	p, was := obj.(*corev1.Pod), old.(*corev1.Pod)
	if isStatic(was) {
		return field.ErrorList{field.Forbidden(field.NewPath(""), "static pods do not support ephemeral containers")}
	}
	path := field.NewPath("spec", "ephemeralContainers")
	now := map[string]corev1.EphemeralContainer{}
	for _, c := range p.Spec.EphemeralContainers {
		now[c.Name] = c
	}
	var errs field.ErrorList
	for _, before := range was.Spec.EphemeralContainers {
		c, ok := now[before.Name]
		switch {
		case !ok:
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("existing ephemeral containers %q may not be removed\n", before.Name)))
		case !equality.Semantic.DeepEqual(before, c):
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("existing ephemeral containers %q may not be changed\n%v", before.Name, diff.Diff(internalForm(before), internalForm(c)))))
		}
	}
	return errs
}

// validateEphemeral checks the ephemeral containers of a pod: each has a name of its own, and none of what a container
// has that belongs to the pod's work.
func (s *containerScope) validateEphemeral(path *field.Path) field.ErrorList {
	targets := maps.Clone(s.names)
	var errs field.ErrorList
	for i, e := range s.pod.EphemeralContainers {
		at := path.Index(i)
		c := corev1.Container(e.EphemeralContainerCommon)
		errs = append(errs, s.validate(&c, at)...)
		errs = append(errs, validateImageSpace(c.Image, at.Child("image"))...)
		errs = append(errs, s.takeName(c.Name, at.Child("name"))...)
		if e.TargetContainerName != "" && !targets[e.TargetContainerName] {
			errs = append(errs, field.NotFound(at.Child("targetContainerName"), e.TargetContainerName))
		}
		errs = append(errs, validateEphemeralFields(&c, at)...)
	}
	return errs
}

// ephemeralFields are those of a container that an ephemeral one may set, by their Go names.
var ephemeralFields = map[string]bool{
	"Name": true, "Image": true, "Command": true, "Args": true, "WorkingDir": true, "Env": true, "EnvFrom": true,
	"VolumeMounts": true, "VolumeDevices": true, "ImagePullPolicy": true, "TerminationMessagePath": true,
	"TerminationMessagePolicy": true, "SecurityContext": true, "Stdin": true, "StdinOnce": true, "TTY": true,
}

const notEphemeral = "cannot be set for an Ephemeral Container"

func validateEphemeralFields(c *corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if !ephemeralFields[name] && !v.Field(i).IsZero() {
			errs = append(errs, field.Forbidden(path.Child(strings.ToLower(name[:1])+name[1:]), notEphemeral))
		}
	}
	for i, mount := range c.VolumeMounts {
		at := path.Child("volumeMounts").Index(i)
		if mount.SubPath != "" {
			errs = append(errs, field.Forbidden(at.Child("subPath"), notEphemeral))
		}
		if mount.SubPathExpr != "" {
			errs = append(errs, field.Forbidden(at.Child("subPathExpr"), notEphemeral))
		}
	}
	return errs
}
