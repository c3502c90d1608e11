package kinds

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// secret is the row of Secret.
func secret() *Kind {
	return &Kind{
		GroupVersionKind:    corev1.SchemeGroupVersion.WithKind("Secret"),
		Resource:            "secrets",
		Singular:            "secret",
		Namespaced:          true,
		New:                 func() runtime.Object { return &corev1.Secret{} },
		NewList:             func() runtime.Object { return &corev1.SecretList{} },
		UnconditionalUpdate: true,
		Default:             defaultSecret,
		Validate:            validateSecret,
		ValidateUpdate:      validateSecretUpdate,
		ChangesFirst:        true,
		Fields: func(obj runtime.Object) fields.Set {
			return fields.Set{"type": string(obj.(*corev1.Secret).Type)}
		},
		FieldNames: []string{"type"},
		Warn:       warnSecret,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(),
				column("Type", corev1.Secret{}.SwaggerDoc()["type"]),
				column("Data", corev1.Secret{}.SwaggerDoc()["data"]),
				ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				s := obj.(*corev1.Secret)
				return []any{s.Name, string(s.Type), int64(len(s.Data)), age(s.CreationTimestamp, now)}
			},
		},
	}
}

// defaultSecret also moves stringData, which is only for writing, into data, where it wins.
func defaultSecret(obj runtime.Object) {
	s := obj.(*corev1.Secret)
	if s.Type == "" {
		s.Type = corev1.SecretTypeOpaque
	}
	if len(s.StringData) > 0 && s.Data == nil {
		s.Data = make(map[string][]byte, len(s.StringData))
	}
	for key, value := range s.StringData {
		s.Data[key] = []byte(value)
	}
	s.StringData = nil
}

func validateSecret(obj runtime.Object) field.ErrorList {
	s := obj.(*corev1.Secret)
	var errs field.ErrorList
	data := field.NewPath("data")
	size := 0
	for key, value := range s.Data {
		errs = append(errs, validateDataKey(key, data.Key(key))...)
		size += len(value)
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(data, "", corev1.MaxSecretSize))
	}
	return append(errs, validateSecretType(s, data)...)
}

// validateSecretType checks that what the type promises is there.
func validateSecretType(s *corev1.Secret, data *field.Path) field.ErrorList {
	switch s.Type {
	case corev1.SecretTypeServiceAccountToken:
		if s.Annotations[corev1.ServiceAccountNameKey] == "" {
			path := field.NewPath("metadata", "annotations").Key(corev1.ServiceAccountNameKey)
			return field.ErrorList{field.Required(path, "")}
		}
	case corev1.SecretTypeDockercfg:
		return requireJSON(s, data, corev1.DockerConfigKey)
	case corev1.SecretTypeDockerConfigJson:
		return requireJSON(s, data, corev1.DockerConfigJsonKey)
	case corev1.SecretTypeBasicAuth:
		// One of the two is enough.
		missing := requireKeys(s, data, corev1.BasicAuthUsernameKey, corev1.BasicAuthPasswordKey)
		if len(missing) == 2 {
			return missing
		}
	case corev1.SecretTypeSSHAuth:
		if len(s.Data[corev1.SSHAuthPrivateKey]) == 0 {
			return field.ErrorList{field.Required(data.Key(corev1.SSHAuthPrivateKey), "")}
		}
	case corev1.SecretTypeTLS:
		return requireKeys(s, data, corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	}
	return nil
}

func requireKeys(s *corev1.Secret, data *field.Path, keys ...string) field.ErrorList {
	var errs field.ErrorList
	for _, key := range keys {
		if _, ok := s.Data[key]; !ok {
			errs = append(errs, field.Required(data.Key(key), ""))
		}
	}
	return errs
}

// requireJSON wants a JSON object under key; a message never shows what was there instead.
func requireJSON(s *corev1.Secret, data *field.Path, key string) field.ErrorList {
	text, ok := s.Data[key]
	if !ok {
		return field.ErrorList{field.Required(data.Key(key), "")}
	}
	if err := json.Unmarshal(text, &map[string]any{}); err != nil {
		return field.ErrorList{field.Invalid(data.Key(key), "<secret contents redacted>", err.Error())}
	}
	return nil
}

func validateSecretUpdate(obj, old runtime.Object) field.ErrorList {
	s, was := obj.(*corev1.Secret), old.(*corev1.Secret)
	errs := apivalidation.ValidateImmutableField(s.Type, was.Type, field.NewPath("type"))
	if !isTrue(was.Immutable) {
		return errs
	}
	if !isTrue(s.Immutable) {
		errs = append(errs, field.Forbidden(field.NewPath("immutable"), whenImmutable))
	}
	if !equality.Semantic.DeepEqual(s.Data, was.Data) {
		errs = append(errs, field.Forbidden(field.NewPath("data"), whenImmutable))
	}
	return errs
}
