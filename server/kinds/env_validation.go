package kinds

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
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
		errs = append(errs, validateFileKeyRef(s.FileKeyRef, path.Child("fileKeyRef"))...)
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
		if s.ConfigMapRef != nil {
			errs = append(errs, requiredName(at.Child("configMapRef", "name"), s.ConfigMapRef.Name, isSubdomain)...)
		}
		if s.SecretRef != nil {
			errs = append(errs, requiredName(at.Child("secretRef", "name"), s.SecretRef.Name, isSubdomain)...)
		}
		switch {
		case s.ConfigMapRef == nil && s.SecretRef == nil:
			errs = append(errs, field.Invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
		case s.ConfigMapRef != nil && s.SecretRef != nil:
			errs = append(errs, field.Invalid(path, "", "may not have more than one field specified at a time"))
		}
	}
	return errs
}

// isSubdomain gives the reasons why a name is not one of an ordinary object.
func isSubdomain(name string) []string {
	return apivalidation.NameIsDNSSubdomain(name, false)
}

// validateFileKeyRef checks a reference to a variable in a file that an init container has written.
func validateFileKeyRef(r *corev1.FileKeySelector, path *field.Path) field.ErrorList {
	errs := requiredName(path.Child("key"), r.Key, validation.IsRelaxedEnvVarName)
	errs = append(errs, requiredName(path.Child("volumeName"), r.VolumeName, validation.IsDNS1123Label)...)
	if r.Path == "" {
		return append(errs, field.Required(path.Child("path"), ""))
	}
	return append(errs, validateNoBacksteps(r.Path, path.Child("path"))...)
}

// validateFileVolumes checks that the files with variables lie in volumes that are the pod's own for its life.
func validateFileVolumes(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	sources := map[string]*corev1.VolumeSource{}
	for i := range s.Volumes {
		sources[s.Volumes[i].Name] = &s.Volumes[i].VolumeSource
	}
	var errs field.ErrorList
	check := func(env []corev1.EnvVar, at *field.Path) {
		for i, v := range env {
			if v.ValueFrom == nil || v.ValueFrom.FileKeyRef == nil {
				continue
			}
			name := v.ValueFrom.FileKeyRef.VolumeName
			ref := at.Child("env").Index(i).Child("valueFrom", "fileKeyRef", "volumeName")
			switch source := sources[name]; {
			case source == nil:
				errs = append(errs, field.NotFound(ref, name))
			case source.EmptyDir == nil:
				errs = append(errs, field.Invalid(ref, name, "referenced volume must be of type emptyDir"))
			}
		}
	}
	for i := range s.InitContainers {
		check(s.InitContainers[i].Env, path.Child("initContainers").Index(i))
	}
	for i := range s.Containers {
		check(s.Containers[i].Env, path.Child("containers").Index(i))
	}
	for i := range s.EphemeralContainers {
		check(s.EphemeralContainers[i].Env, path.Child("ephemeralContainers").Index(i))
	}
	return errs
}

// validateKeyRef checks a reference to one entry of a ConfigMap or Secret.
func validateKeyRef(name, key string, path *field.Path) field.ErrorList {
	errs := requiredName(path.Child("name"), name, isSubdomain)
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
	case r.APIVersion != "" && r.APIVersion != "v1" && r.FieldPath != "" && !strings.Contains(r.FieldPath, "['"):
		return field.ErrorList{field.Invalid(at, r.FieldPath, "error converting fieldPath: unsupported pod version: "+r.APIVersion)}
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
