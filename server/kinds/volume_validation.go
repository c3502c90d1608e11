package kinds

import (
	"path"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateVolumes also returns the names to which mounts may refer.
func validateVolumes(volumes []corev1.Volume, at *field.Path) (map[string]bool, field.ErrorList) {
	names := map[string]bool{}
	var errs field.ErrorList
	for i := range volumes {
		v := &volumes[i]
		errs = append(errs, validateVolumeSource(v, at.Index(i))...)
		if v.Name == "" {
			errs = append(errs, field.Required(at.Index(i).Child("name"), ""))
			continue
		}
		reasons := validation.IsDNS1123Label(v.Name)
		errs = append(errs, named(at.Index(i).Child("name"), v.Name, reasons)...)
		if names[v.Name] {
			errs = append(errs, field.Duplicate(at.Index(i).Child("name"), v.Name))
		}
		names[v.Name] = names[v.Name] || len(reasons) == 0
	}
	return names, errs
}

// validateVolumeSource checks that a volume has one source, and what that source says.
func validateVolumeSource(v *corev1.Volume, at *field.Path) field.ErrorList {
	set := namesSet(&v.VolumeSource)
	if len(set) == 0 {
		return field.ErrorList{field.Required(at, "must specify a volume type")}
	}
	errs := validateOneSource(v, at)
	for _, name := range set[1:] {
		errs = append(errs, field.Forbidden(at.Child(name), "may not specify more than 1 volume type"))
	}
	return errs
}

// namesSet lists the JSON names of the pointers that are set in a struct that has nothing else, such as a VolumeSource,
// in the order in which the API documents them. union is a pointer to it.
func namesSet(union any) []string {
	var names []string
	value := reflect.ValueOf(union).Elem()
	for i := range value.NumField() {
		if !value.Field(i).IsNil() {
			name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

// validateOneSource checks the first source that is set.
func validateOneSource(v *corev1.Volume, at *field.Path) field.ErrorList {
	switch {
	case v.HostPath != nil:
		return validateHostPath(v.HostPath, at.Child("hostPath"))
	case v.EmptyDir != nil:
		if q := v.EmptyDir.SizeLimit; q != nil && q.Sign() < 0 {
			return field.ErrorList{field.Forbidden(at.Child("emptyDir", "sizeLimit"), "SizeLimit field must be a valid resource quantity")}
		}
	case v.Secret != nil:
		s := at.Child("secret")
		return append(required(s.Child("secretName"), v.Secret.SecretName), validateFiles(v.Secret.DefaultMode, v.Secret.Items, s)...)
	case v.NFS != nil:
		errs := append(required(at.Child("nfs", "server"), v.NFS.Server), required(at.Child("nfs", "path"), v.NFS.Path)...)
		if !path.IsAbs(v.NFS.Path) {
			errs = append(errs, field.Invalid(at.Child("nfs", "path"), v.NFS.Path, "must be an absolute path"))
		}
		return errs
	case v.PersistentVolumeClaim != nil:
		return required(at.Child("persistentVolumeClaim", "claimName"), v.PersistentVolumeClaim.ClaimName)
	case v.DownwardAPI != nil:
		d := at.Child("downwardAPI")
		return append(validateMode(v.DownwardAPI.DefaultMode, d.Child("defaultMode")), validateDownwardFiles(v.DownwardAPI.Items, d)...)
	case v.ConfigMap != nil:
		c := at.Child("configMap")
		return append(required(c.Child("name"), v.ConfigMap.Name), validateFiles(v.ConfigMap.DefaultMode, v.ConfigMap.Items, c)...)
	case v.Projected != nil:
		return validateProjected(v.Projected, at.Child("projected"))
	case v.CSI != nil:
		return required(at.Child("csi", "driver"), v.CSI.Driver)
	case v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate == nil:
		return field.ErrorList{field.Required(at.Child("ephemeral", "volumeClaimTemplate"), "")}
	case v.Image != nil:
		return append(required(at.Child("image", "reference"), v.Image.Reference), oneOf(at.Child("image", "pullPolicy"),
			v.Image.PullPolicy, corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
	}
	return nil
}

func validateHostPath(h *corev1.HostPathVolumeSource, at *field.Path) field.ErrorList {
	if h.Path == "" {
		return required(at.Child("path"), h.Path)
	}
	errs := validateNoBacksteps(h.Path, at.Child("path"))
	if h.Type == nil || *h.Type == corev1.HostPathUnset {
		return errs
	}
	return append(errs, oneOf(at.Child("type"), *h.Type, corev1.HostPathUnset, corev1.HostPathBlockDev, corev1.HostPathCharDev,
		corev1.HostPathDirectory, corev1.HostPathDirectoryOrCreate, corev1.HostPathFile, corev1.HostPathFileOrCreate,
		corev1.HostPathSocket)...)
}

func validateMode(mode *int32, at *field.Path) field.ErrorList {
	if mode == nil || (*mode >= 0 && *mode <= 0o777) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, *mode, "must be a number between 0 and 0777 (octal), both inclusive")}
}

// validateFiles checks which entries of a bag become which files.
func validateFiles(mode *int32, items []corev1.KeyToPath, at *field.Path) field.ErrorList {
	errs := validateMode(mode, at.Child("defaultMode"))
	for i, item := range items {
		each := at.Child("items").Index(i)
		errs = append(errs, required(each.Child("key"), item.Key)...)
		errs = append(errs, required(each.Child("path"), item.Path)...)
		errs = append(errs, validateFilePath(item.Path, each.Child("path"))...)
		errs = append(errs, validateMode(item.Mode, each.Child("mode"))...)
	}
	return errs
}

func validateDownwardFiles(items []corev1.DownwardAPIVolumeFile, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, item := range items {
		each := at.Child("items").Index(i)
		errs = append(errs, required(each.Child("path"), item.Path)...)
		errs = append(errs, validateFilePath(item.Path, each.Child("path"))...)
		switch {
		case item.FieldRef != nil:
			errs = append(errs, validateFieldRef(item.FieldRef, fileFields, each.Child("fieldRef"))...)
			if item.ResourceFieldRef != nil {
				errs = append(errs, field.Invalid(each, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"))
			}
		case item.ResourceFieldRef != nil:
			ref := each.Child("resourceFieldRef")
			errs = append(errs, required(ref.Child("containerName"), item.ResourceFieldRef.ContainerName)...)
			errs = append(errs, validateResourceRef(item.ResourceFieldRef, ref)...)
		default:
			errs = append(errs, field.Required(each, "one of fieldRef and resourceFieldRef is required"))
		}
		errs = append(errs, validateMode(item.Mode, each.Child("mode"))...)
	}
	return errs
}

func validateProjected(p *corev1.ProjectedVolumeSource, at *field.Path) field.ErrorList {
	errs := validateMode(p.DefaultMode, at.Child("defaultMode"))
	for i := range p.Sources {
		errs = append(errs, validateProjection(&p.Sources[i], at.Child("sources").Index(i))...)
	}
	return errs
}

func validateProjection(s *corev1.VolumeProjection, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	sources := 0
	if s.Secret != nil {
		sources++
		errs = append(errs, required(at.Child("secret", "name"), s.Secret.Name)...)
		errs = append(errs, validateFiles(nil, s.Secret.Items, at.Child("secret"))...)
	}
	if s.ConfigMap != nil {
		sources++
		errs = append(errs, required(at.Child("configMap", "name"), s.ConfigMap.Name)...)
		errs = append(errs, validateFiles(nil, s.ConfigMap.Items, at.Child("configMap"))...)
	}
	if s.DownwardAPI != nil {
		sources++
		errs = append(errs, validateDownwardFiles(s.DownwardAPI.Items, at.Child("downwardAPI"))...)
	}
	if token := s.ServiceAccountToken; token != nil {
		sources++
		errs = append(errs, validateTokenProjection(token, at.Child("serviceAccountToken"))...)
	}
	if s.ClusterTrustBundle != nil {
		sources++
	}
	if s.PodCertificate != nil {
		sources++
	}
	if sources > 1 {
		errs = append(errs, field.Forbidden(at, "may not specify more than 1 volume type per source"))
	}
	return errs
}

// validateTokenProjection checks the life of a token: ten minutes at least, a number of 32 bits at most.
func validateTokenProjection(t *corev1.ServiceAccountTokenProjection, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s := t.ExpirationSeconds; s != nil && *s < 10*60 {
		errs = append(errs, field.Invalid(at.Child("expirationSeconds"), *s, "may not specify a duration less than 10 minutes"))
	} else if s != nil && *s > 1<<32 {
		errs = append(errs, field.Invalid(at.Child("expirationSeconds"), *s, "may not specify a duration larger than 2^32 seconds"))
	}
	return append(errs, required(at.Child("path"), t.Path)...)
}

// validateFilePath checks where a file goes below its volume; names that begin with two dots are the kubelet's own.
func validateFilePath(p string, at *field.Path) field.ErrorList {
	errs := validateDescendingPath(p, at)
	if strings.HasPrefix(p, "..") && !strings.HasPrefix(p, "../") {
		errs = append(errs, field.Invalid(at, p, "must not start with '..'"))
	}
	return errs
}

// validateDescendingPath checks a path that must stay below where it starts.
func validateDescendingPath(p string, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if path.IsAbs(p) {
		errs = append(errs, field.Invalid(at, p, "must be a relative path"))
	}
	return append(errs, validateNoBacksteps(p, at)...)
}

func validateNoBacksteps(p string, at *field.Path) field.ErrorList {
	for _, step := range strings.Split(p, "/") {
		if step == ".." {
			return field.ErrorList{field.Invalid(at, p, "must not contain '..'")}
		}
	}
	return nil
}
