package server_test

import (
	"context"
	"strings"
	"testing"

	"kubarium/server/kinds"
)

const jsonPatch, strategicPatch = "application/json-patch+json", "application/strategic-merge-patch+json"

// absent is the 404 of kube-apiserver 1.37 for an object "none".
func absent(k *kinds.Kind) string {
	group, resource := "", k.Resource
	if k.Group != "" {
		group, resource = `"group":"`+k.Group+`",`, resource+"."+k.Group
	}
	return `{"code":404,"details":{` + group + `"kind":"` + k.Resource + `","name":"none"},"message":"` + resource + ` \"none\" not found","reason":"NotFound"}`
}

// pathOf is that of a kind's objects in the namespace default.
func pathOf(k *kinds.Kind) string {
	path := "/apis/" + k.Group + "/" + k.Version + "/"
	if k.Group == "" {
		path = "/api/v1/"
	}
	if k.Namespaced {
		path += "namespaces/default/"
	}
	return path + k.Resource
}

// What is not there cannot be patched, also where a PUT creates it: clients create it themselves after the 404.
func TestServer_Patch(t *testing.T) {
	url := serveDefault(t)
	t.Run("absent object that PUT may create", func(t *testing.T) {
		creating := 0
		for _, k := range kinds.BuiltIn() {
			path, want := pathOf(k)+"/none", absent(k)
			if k.Strategy.AllowCreateOnUpdate(context.Background()) {
				creating++
			}
			playExactly(t, url, []exact{
				{"merge " + path, request{method: "PATCH", path: path, contentType: mergePatch, body: `{"metadata":{"name":"none"}}`}, 404, want},
				{"nothing " + path, request{method: "PATCH", path: path, contentType: mergePatch, body: `{}`}, 404, want},
				{"uid " + path, request{method: "PATCH", path: path + "?dryRun=All", contentType: strategicPatch, body: `{"metadata":{"uid":"u"}}`}, 404, want},
				{"JSON " + path, request{method: "PATCH", path: path, contentType: jsonPatch, body: `[{"op":"add","path":"/metadata/name","value":"none"}]`}, 404, want},
				{"read " + path, request{method: "GET", path: path}, 404, want},
			})
		}
		if creating != 11 {
			t.Errorf("%d kinds are created by PUT", creating)
		}
	})
}

// A PUT of the status of a Service creates it, as that of the Service does, and so does an apply to the status of a policy. No other
// status does.
func TestServer_absentStatus(t *testing.T) {
	url := serveDefault(t)
	const (
		services   = "/api/v1/namespaces/default/services"
		policies   = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
		noPorts    = `{"code":422,"details":{"causes":[{"field":"spec.ports","message":"Required value","reason":"FieldValueRequired"}],"kind":"Service","name":"none"},"message":"Service \"none\" is invalid: spec.ports: Required value","reason":"Invalid"}`
		otherUID   = `{"code":409,"details":{"kind":"services","name":"none"},"message":"Operation cannot be fulfilled on services \"none\": StorageError: invalid object, Code: 4, Key: /registry/services/specs/default/none, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ","reason":"Conflict"}`
		noRules    = `{"code":422,"details":{"causes":[{"field":"spec.matchConstraints","message":"Required value","reason":"FieldValueRequired"},{"field":"spec.validations","message":"Required value: validations or auditAnnotations must contain at least one item","reason":"FieldValueRequired"},{"field":"spec.auditAnnotations","message":"Required value: validations or auditAnnotations must contain at least one item","reason":"FieldValueRequired"}],"group":"admissionregistration.k8s.io","kind":"ValidatingAdmissionPolicy","name":"none"},"message":"ValidatingAdmissionPolicy.admissionregistration.k8s.io \"none\" is invalid: [spec.matchConstraints: Required value, spec.validations: Required value: validations or auditAnnotations must contain at least one item, spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item]","reason":"Invalid"}`
		made       = `{"metadata":{"name":"none"},"spec":{"ports":[{"port":80}]},"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}}`
		applied    = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"none"}}`
		configured = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"none"}}`
	)
	playExactly(t, url, []exact{
		{"patch", request{method: "PATCH", path: services + "/none/status", contentType: mergePatch, body: `{}`}, 404, absent(kindOf(t, "services"))},
		{"put", request{method: "PUT", path: services + "/none/status", body: `{"metadata":{"name":"none"}}`}, 422, noPorts},
		{"apply", request{method: "PATCH", path: services + "/none/status?fieldManager=m", contentType: applyPatch, body: applied}, 422, noPorts},
		{"another uid", request{method: "PUT", path: services + "/none/status", body: `{"metadata":{"name":"none","uid":"x"}}`}, 409, otherUID},
		{"create", request{method: "PUT", path: services + "/none/status", body: made}, 201, ""},
		{"apply to a policy", request{method: "PATCH", path: policies + "/none/status?fieldManager=m", contentType: applyPatch, body: configured}, 422, noRules},
		{"put to a policy", request{method: "PUT", path: policies + "/none/status", body: configured}, 404, absent(kindOf(t, "validatingadmissionpolicies.admissionregistration.k8s.io"))},
	})
	if _, body := send(t, url, request{method: "GET", path: services + "/none"}); strings.Contains(body, "192.0.2.1") {
		t.Error("a status is created:", body)
	}
	for _, k := range kinds.BuiltIn() {
		if !k.HasStatus() || k.StatusCreates || k.Resource == "services" {
			continue
		}
		body := `{"apiVersion":"` + k.GroupVersion().String() + `","kind":"` + k.Kind + `","metadata":{"name":"none"}}`
		playExactly(t, url, []exact{
			{"apply to " + k.Resource, request{method: "PATCH", path: pathOf(k) + "/none/status?fieldManager=m", contentType: applyPatch, body: body}, 404, absent(k)},
			{"put " + k.Resource, request{method: "PUT", path: pathOf(k) + "/none/status", body: body}, 404, absent(k)},
		})
	}
}

// kindOf is the row of a stored resource.
func kindOf(t *testing.T, resource string) *kinds.Kind {
	t.Helper()
	for _, k := range kinds.BuiltIn() {
		if k.StorageResource() == resource {
			return k
		}
	}
	t.Fatal("no kind", resource)
	return nil
}
