package main

import "strings"

const group = "/apis/authorization.k8s.io/v1/"

// An odd review is one that a server must refuse, or answer with a remark.
type odd struct{ path, body string }

// oddReviews are sent as they are; JSON is written without quotes around names.
func oddReviews() []odd {
	const (
		subject = group + "subjectaccessreviews"
		self    = group + "selfsubjectaccessreviews"
		rules   = group + "selfsubjectrulesreviews"
		local   = group + "namespaces/" + namespace + "/localsubjectaccessreviews"
	)
	all := []odd{
		{rules, `{}`},
		{rules, `{"spec":{"namespace":""}}`},
		{rules, `{"metadata":{"name":"x"},"spec":{"namespace":""}}`},
		{rules, `{"spec":{"namespace":5}}`},
		{local, `{"spec":{"user":"u","resourceAttributes":{"namespace":"other"}}}`},
		{local, `{"spec":{"user":"u","resourceAttributes":{}}}`},
		{local, `{"spec":{"user":"u","nonResourceAttributes":{"path":"/","verb":"get"}}}`},
		{local, `{"metadata":{"namespace":"other"},"spec":{"user":"u","resourceAttributes":{"namespace":"other"}}}`},
		{local, `{"metadata":{"namespace":"` + namespace + `"},"spec":{"user":"u","resourceAttributes":{"namespace":"` + namespace + `"}}}`},
		{local, `{"metadata":{"name":"x"},"spec":{"user":"u","resourceAttributes":{"namespace":"` + namespace + `"}}}`},
		{group + "namespaces/no-such/localsubjectaccessreviews", `{"spec":{"user":"u","resourceAttributes":{"namespace":"no-such"}}}`},
		{group + "localsubjectaccessreviews", `{"spec":{"user":"u","resourceAttributes":{}}}`},
		{subject, `{"spec":{"user":"","groups":[],"resourceAttributes":{"verb":"get"}}}`},
		{subject, `{"spec":{"groups":["system:masters"],"resourceAttributes":{"verb":"get","resource":"pods"}}}`},
		{subject, `{"spec":{"user":"u","groups":["system:masters"],"uid":"1","extra":{"a":["b"]},"nonResourceAttributes":{"verb":"get","path":"/"}}}`},
		{subject, `{"spec":{"user":"system:serviceaccount:kube-system:deployment-controller","resourceAttributes":{"verb":"update","group":"apps","resource":"deployments"}}}`},
		{subject + "?dryRun=All", `{"spec":{"user":"u","resourceAttributes":{"verb":"get"}}}`},
		{subject + "?dryRun=Some", `{"spec":{"user":"u","resourceAttributes":{"verb":"get"}}}`},
		{subject + "?fieldValidation=Strict", `{"spec":{"user":"u","resourceAttribute":{"verb":"get"}}}`},
		{subject, `{"kind":"Pod","apiVersion":"v1"}`},
		{subject, `{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1beta1","spec":{"user":"u","resourceAttributes":{"verb":"get"}}}`},
		{subject, `[]`},
		{subject, `{`},
		{subject, ``},
		{subject, `{"metadata":{"labels":{"a":"b"},"annotations":{"a":"b"},"finalizers":["a.b/c"]},"spec":{"user":"u","resourceAttributes":{"verb":"get"}}}`},
		{subject, `{"metadata":{"resourceVersion":"5","uid":"u","generateName":"g-"},"spec":{"user":"u","resourceAttributes":{"verb":"get"}}}`},
		{subject, `{"metadata":{"namespace":"default"},"spec":{"user":"u","resourceAttributes":{"verb":"get"}}}`},
		{subject, `{"spec":{"user":"u"},"status":{"allowed":true,"reason":"I say so"}}`},
		{subject, `{"spec":{"user":"u","resourceAttributes":{"verb":"get"}},"status":{"allowed":true,"denied":true,"reason":"I say so"}}`},
	}
	for _, spec := range []string{
		`{USER}`,
		`{USER"resourceAttributes":{},"nonResourceAttributes":{"path":"/x"}}`,
		`{USER"resourceAttributes":{}}`,
		`{USER"nonResourceAttributes":{}}`,
		`{USER"resourceAttributes":{"labelSelector":{}}}`,
		`{USER"resourceAttributes":{"fieldSelector":{}}}`,
		`{USER"resourceAttributes":{"verb":"list","resource":"pods","fieldSelector":{"rawSelector":"a=b"}}}`,
		`{USER"resourceAttributes":{"verb":"list","resource":"pods","fieldSelector":{"rawSelector":"a"}}}`,
		`{USER"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"rawSelector":"a in (b"}}}`,
		`{USER"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"rawSelector":"a","requirements":[{"key":"a","operator":"Exists"}]}}}`,
		`{USER"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"requirements":[{"key":"a","operator":"In"}]}}}`,
		`{USER"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"requirements":[{"key":"","operator":"Exists"},{"key":"a","operator":"Like","values":["b"]}]}}}`,
		`{USER"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"requirements":[{"key":"a","operator":"Like","values":["b"]},{"key":"a","operator":"Exists"}]}}}`,
		`{USER"resourceAttributes":{"verb":"list","resource":"pods","fieldSelector":{"requirements":[{"key":"a","operator":"In","values":["b","c"]},{"key":"a","operator":"NotIn","values":["b"]}]}}}`,
		`{USER"resourceAttributes":{"verb":"list","resource":"pods","fieldSelector":{"requirements":[{"key":"a","operator":"Exists","values":["b"]},{"key":"","operator":"Odd"}]}}}`,
		`{USER"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"rawSelector":"` + strings.Repeat("a", 300) + `=b"}}}`,
		`{USER"resourceAttributes":null}`,
		`{USER"resourceAttributes":"x"}`,
		`{USER"unknown":1,"resourceAttributes":{}}`,
	} {
		all = append(all, odd{self, `{"spec":` + strings.Replace(spec, "USER", "", 1) + `}`})
		if spec == `{USER}` {
			all = append(all, odd{subject, `{"spec":{"user":"u"}}`}, odd{subject, `{"spec":{}}`}, odd{local, `{"spec":{}}`})
			continue
		}
		all = append(all, odd{subject, `{"spec":` + strings.Replace(spec, "USER", `"user":"u",`, 1) + `}`})
	}
	return all
}
