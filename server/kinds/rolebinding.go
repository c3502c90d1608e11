package kinds

import (
	"strings"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	rbacv1beta1 "k8s.io/api/rbac/v1beta1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// roleBinding is the row of RoleBinding.
func roleBinding() *Kind {
	return &Kind{
		GroupVersionKind:    rbacv1.SchemeGroupVersion.WithKind("RoleBinding"),
		Resource:            "rolebindings",
		Singular:            "rolebinding",
		Namespaced:          true,
		New:                 func() runtime.Object { return &rbacv1.RoleBinding{} },
		NewList:             func() runtime.Object { return &rbacv1.RoleBindingList{} },
		CreateOnUpdate:      true,
		UnconditionalUpdate: true,
		Default: func(obj runtime.Object) {
			b := obj.(*rbacv1.RoleBinding)
			defaultBinding(&b.RoleRef, b.Subjects)
		},
		ValidateName: path.ValidatePathSegmentName,
		Validate: func(obj runtime.Object) field.ErrorList {
			b := obj.(*rbacv1.RoleBinding)
			return append(validateRoleRef(b.RoleRef, "Role", "ClusterRole"), validateSubjects(b.Subjects, true)...)
		},
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			return keepsRole(obj.(*rbacv1.RoleBinding).RoleRef, old.(*rbacv1.RoleBinding).RoleRef)
		},
		Printer: table.Printer{
			Columns: bindingColumns(rbacv1beta1.RoleBinding{}.SwaggerDoc()["roleRef"], "roleBinding"),
			Cells: func(obj runtime.Object, now time.Time) []any {
				b := obj.(*rbacv1.RoleBinding)
				return bindingCells(&b.ObjectMeta, b.RoleRef, b.Subjects, now)
			},
		},
	}
}

// clusterRoleBinding is the row of ClusterRoleBinding.
func clusterRoleBinding() *Kind {
	return &Kind{
		GroupVersionKind:    rbacv1.SchemeGroupVersion.WithKind("ClusterRoleBinding"),
		Resource:            "clusterrolebindings",
		Singular:            "clusterrolebinding",
		New:                 func() runtime.Object { return &rbacv1.ClusterRoleBinding{} },
		NewList:             func() runtime.Object { return &rbacv1.ClusterRoleBindingList{} },
		CreateOnUpdate:      true,
		UnconditionalUpdate: true,
		Default: func(obj runtime.Object) {
			b := obj.(*rbacv1.ClusterRoleBinding)
			defaultBinding(&b.RoleRef, b.Subjects)
		},
		ValidateName: path.ValidatePathSegmentName,
		Validate: func(obj runtime.Object) field.ErrorList {
			b := obj.(*rbacv1.ClusterRoleBinding)
			return append(validateRoleRef(b.RoleRef, "ClusterRole"), validateSubjects(b.Subjects, false)...)
		},
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			return keepsRole(obj.(*rbacv1.ClusterRoleBinding).RoleRef, old.(*rbacv1.ClusterRoleBinding).RoleRef)
		},
		Printer: table.Printer{
			Columns: bindingColumns(rbacv1beta1.ClusterRoleBinding{}.SwaggerDoc()["roleRef"], "clusterRoleBinding"),
			Cells: func(obj runtime.Object, now time.Time) []any {
				b := obj.(*rbacv1.ClusterRoleBinding)
				return bindingCells(&b.ObjectMeta, b.RoleRef, b.Subjects, now)
			},
		},
	}
}

// defaultBinding names the group of roles, users and groups; accounts live in the core group.
func defaultBinding(ref *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	orValue(&ref.APIGroup, rbacv1.GroupName)
	for i := range subjects {
		if kind := subjects[i].Kind; kind == rbacv1.UserKind || kind == rbacv1.GroupKind {
			orValue(&subjects[i].APIGroup, rbacv1.GroupName)
		}
	}
}

func validateRoleRef(ref rbacv1.RoleRef, kinds ...string) field.ErrorList {
	at := field.NewPath("roleRef")
	errs := among(at.Child("apiGroup"), ref.APIGroup, rbacv1.GroupName)
	errs = append(errs, among(at.Child("kind"), ref.Kind, kinds...)...)
	if ref.Name == "" {
		return append(errs, field.Required(at.Child("name"), ""))
	}
	return append(errs, named(at.Child("name"), ref.Name, path.IsValidPathSegmentName(ref.Name))...)
}

// among reports a value that is not one of those known, be it empty.
func among[T ~string](at *field.Path, value T, known ...T) field.ErrorList {
	for _, k := range known {
		if k == value {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(at, value, known)}
}

func validateSubjects(subjects []rbacv1.Subject, namespaced bool) field.ErrorList {
	var errs field.ErrorList
	for i := range subjects {
		errs = append(errs, validateSubject(&subjects[i], namespaced, field.NewPath("subjects").Index(i))...)
	}
	return errs
}

func validateSubject(s *rbacv1.Subject, namespaced bool, at *field.Path) field.ErrorList {
	name, group := at.Child("name"), at.Child("apiGroup")
	errs := required(name, s.Name)
	switch s.Kind {
	case rbacv1.ServiceAccountKind:
		if s.Name != "" {
			errs = append(errs, named(name, s.Name, apivalidation.ValidateServiceAccountName(s.Name, false))...)
		}
		errs = append(errs, among(group, s.APIGroup, "")...)
		if !namespaced {
			errs = append(errs, required(at.Child("namespace"), s.Namespace)...)
		}
		return errs
	case rbacv1.UserKind, rbacv1.GroupKind:
		if s.Name == "" {
			errs = append(errs, field.Invalid(name, "", strings.ToLower(s.Kind)+" name cannot be empty"))
		}
		return append(errs, among(group, s.APIGroup, rbacv1.GroupName)...)
	}
	return append(errs, among(at.Child("kind"), s.Kind,
		rbacv1.ServiceAccountKind, rbacv1.UserKind, rbacv1.GroupKind)...)
}

// keepsRole refuses another role: who may bind one may not thereby hand out another.
func keepsRole(is, was rbacv1.RoleRef) field.ErrorList {
	if is == was {
		return nil
	}
	// The type without JSON names shows the value as Kubernetes does, from its internal type.
	shown := struct{ APIGroup, Kind, Name string }(is)
	return field.ErrorList{field.Invalid(field.NewPath("roleRef"), shown, "cannot change roleRef")}
}

func bindingColumns(role, of string) []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Role", role),
		ageColumn(),
		wideColumn("Users", "Users in the "+of),
		wideColumn("Groups", "Groups in the "+of),
		wideColumn("ServiceAccounts", "ServiceAccounts in the "+of),
	}
}

func bindingCells(m *metav1.ObjectMeta, ref rbacv1.RoleRef, subjects []rbacv1.Subject, now time.Time) []any {
	var users, groups, accounts []string
	for _, s := range subjects {
		switch s.Kind {
		case rbacv1.UserKind:
			users = append(users, s.Name)
		case rbacv1.GroupKind:
			groups = append(groups, s.Name)
		case rbacv1.ServiceAccountKind:
			accounts = append(accounts, s.Namespace+"/"+s.Name)
		}
	}
	return []any{
		m.Name, ref.Kind + "/" + ref.Name, age(m.CreationTimestamp, now),
		strings.Join(users, ", "), strings.Join(groups, ", "), strings.Join(accounts, ", "),
	}
}
