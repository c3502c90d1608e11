package kinds

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateEnv(env []corev1.EnvVar, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range env {
		at := path.Index(i)
		if env[i].Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		} else {
			errs = append(errs, named(at.Child("name"), env[i].Name, validation.IsRelaxedEnvVarName(env[i].Name))...)
		}
		errs = append(errs, validateEnvSource(&env[i], at.Child("valueFrom"))...)
	}
	return errs
}

// validateEnvSource checks that a value comes from one place only.
func validateEnvSource(v *corev1.EnvVar, path *field.Path) field.ErrorList {
	s := v.ValueFrom
	if s == nil {
		return nil
	}
	var errs field.ErrorList
	sources := 0
	if s.FieldRef != nil {
		sources++
		errs = append(errs, validateFieldRef(s.FieldRef, envFields, path.Child("fieldRef"))...)
	}
	if s.ResourceFieldRef != nil {
		sources++
		errs = append(errs, validateResourceRef(s.ResourceFieldRef, path.Child("resourceFieldRef"))...)
	}
	if s.ConfigMapKeyRef != nil {
		sources++
		errs = append(errs, validateKeyRef(s.ConfigMapKeyRef.Name, s.ConfigMapKeyRef.Key, path.Child("configMapKeyRef"))...)
	}
	if s.SecretKeyRef != nil {
		sources++
		errs = append(errs, validateKeyRef(s.SecretKeyRef.Name, s.SecretKeyRef.Key, path.Child("secretKeyRef"))...)
	}
	if s.FileKeyRef != nil {
		sources++
		errs = append(errs, required(path.Child("fileKeyRef", "volumeName"), s.FileKeyRef.VolumeName)...)
		errs = append(errs, required(path.Child("fileKeyRef", "path"), s.FileKeyRef.Path)...)
		errs = append(errs, required(path.Child("fileKeyRef", "key"), s.FileKeyRef.Key)...)
	}
	switch {
	case sources == 0:
		errs = append(errs, field.Invalid(path, "",
			"must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"))
	case v.Value != "":
		errs = append(errs, field.Invalid(path, "", "may not be specified when `value` is not empty"))
	case sources > 1:
		errs = append(errs, field.Invalid(path, "", "may not have more than one field specified at a time"))
	}
	return errs
}

func validateEnvFrom(sources []corev1.EnvFromSource, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, s := range sources {
		at := path.Index(i)
		if s.Prefix != "" {
			errs = append(errs, named(at.Child("prefix"), s.Prefix, validation.IsRelaxedEnvVarName(s.Prefix))...)
		}
		switch {
		case s.ConfigMapRef == nil && s.SecretRef == nil:
			errs = append(errs, field.Invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"))
		case s.ConfigMapRef != nil && s.SecretRef != nil:
			errs = append(errs, field.Invalid(at, "", "may not have more than one field specified at a time"))
		case s.ConfigMapRef != nil:
			errs = append(errs, required(at.Child("configMapRef", "name"), s.ConfigMapRef.Name)...)
		default:
			errs = append(errs, required(at.Child("secretRef", "name"), s.SecretRef.Name)...)
		}
	}
	return errs
}

// validateKeyRef checks a reference to one entry of a ConfigMap or Secret.
func validateKeyRef(name, key string, path *field.Path) field.ErrorList {
	errs := required(path.Child("name"), name)
	if key == "" {
		return append(errs, field.Required(path.Child("key"), ""))
	}
	return append(errs, named(path.Child("key"), key, validation.IsConfigMapKey(key))...)
}

// The fields of a pod that it can read of itself: as a variable, and as a file.
var (
	envFields = []string{
		"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
		"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
	}
	fileFields = []string{"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"}
)

func validateFieldRef(r *corev1.ObjectFieldSelector, valid []string, path *field.Path) field.ErrorList {
	at := path.Child("fieldPath")
	switch {
	case r.APIVersion == "":
		return field.ErrorList{field.Required(path.Child("apiVersion"), "")}
	case r.FieldPath == "":
		return field.ErrorList{field.Required(at, "")}
	}
	if whole, key, ok := strings.Cut(r.FieldPath, "['"); ok && strings.HasSuffix(key, "']") {
		return validateSubscript(whole, strings.TrimSuffix(key, "']"), at)
	}
	if !containsString(append(append([]string{}, envFields...), fileFields...), r.FieldPath) {
		return field.ErrorList{field.Invalid(at, r.FieldPath,
			fmt.Sprintf("error converting fieldPath: field label not supported: %s", r.FieldPath))}
	}
	if !containsString(valid, r.FieldPath) {
		return field.ErrorList{field.NotSupported(at, r.FieldPath, valid)}
	}
	return nil
}

// validateSubscript checks the reading of one label or annotation: metadata.labels['app'].
func validateSubscript(whole, key string, path *field.Path) field.ErrorList {
	switch whole {
	case "metadata.annotations":
		return named(path, key, validation.IsQualifiedName(strings.ToLower(key)))
	case "metadata.labels":
		return named(path, key, validation.IsQualifiedName(key))
	}
	return field.ErrorList{field.Invalid(path, whole, "does not support subscript")}
}

func containsString(list []string, wanted string) bool {
	for _, s := range list {
		if s == wanted {
			return true
		}
	}
	return false
}

var resourceFields = []string{
	"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory",
}

func validateResourceRef(r *corev1.ResourceFieldSelector, path *field.Path) field.ErrorList {
	at := path.Child("resource")
	if r.Resource == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	huge := strings.HasPrefix(r.Resource, "limits.hugepages-") || strings.HasPrefix(r.Resource, "requests.hugepages-")
	if !huge && !containsString(resourceFields, r.Resource) {
		return field.ErrorList{field.NotSupported(at, r.Resource, resourceFields)}
	}
	return nil
}
