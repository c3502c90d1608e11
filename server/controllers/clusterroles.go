package controllers

import (
	"context"
	"log/slog"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

const clusterRolesPath = "/apis/rbac.authorization.k8s.io/v1/clusterroles"

// An aggregator fills ClusterRoles that have an aggregationRule with the rules of those that it selects.
type aggregator struct {
	Client
	log   *slog.Logger
	roles table[rbacv1.ClusterRole]
}

func (a *aggregator) run(ctx context.Context) {
	a.review(ctx, a.log, map[string]func(event){clusterRolesPath: a.roles.take}, a.aggregate)
}

func (a *aggregator) aggregate(ctx context.Context) error {
	all := a.roles.all()
	for _, role := range all {
		if role.AggregationRule == nil {
			continue
		}
		rules, err := gather(role, all)
		if err != nil {
			return err
		}
		if apiequality.Semantic.DeepEqual(rules, role.Rules) {
			continue
		}
		err = a.apply(ctx, clusterRolesPath+"/"+role.Name, "clusterrole-aggregation-controller", &rbacv1.ClusterRole{
			TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole"},
			ObjectMeta: metav1.ObjectMeta{Name: role.Name},
			Rules:      rules,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// gather returns the rules of all roles that a role selects, selector by selector, in the order of names, each rule once.
func gather(role rbacv1.ClusterRole, all []rbacv1.ClusterRole) ([]rbacv1.PolicyRule, error) {
	rules := []rbacv1.PolicyRule{}
	for _, s := range role.AggregationRule.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(&s)
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if other.Name == role.Name || !selector.Matches(labels.Set(other.Labels)) {
				continue
			}
			for _, rule := range other.Rules {
				same := func(r rbacv1.PolicyRule) bool { return apiequality.Semantic.DeepEqual(r, rule) }
				if !slices.ContainsFunc(rules, same) {
					rules = append(rules, rule)
				}
			}
		}
	}
	return rules, nil
}
