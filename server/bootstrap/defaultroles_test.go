package bootstrap_test

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"kubarium/server/bootstrap"
)

// Two servers in one process each set defaults in the roles they are given.
func TestDefaultRoles_ownCopies(t *testing.T) {
	bindings := rbacv1.Resource("rolebindings")
	mine, others := bootstrap.DefaultRoles()[bindings], bootstrap.DefaultRoles()[bindings]
	if len(mine) == 0 {
		t.Fatal("no default bindings")
	}
	for _, o := range mine {
		o.(*rbacv1.RoleBinding).Subjects[0].Name = "mine"
	}
	for _, o := range others {
		if o.(*rbacv1.RoleBinding).Subjects[0].Name == "mine" {
			t.Errorf("%s is shared", o.(*rbacv1.RoleBinding).Name)
		}
	}
}
