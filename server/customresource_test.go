package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A definition with more rules than can be compiled in a few seconds is refused before the first is.
func TestServer_definitionRules(t *testing.T) {
	url := serveDefault(t)
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	for n, want := range map[int]int{3: http.StatusCreated, 1001: http.StatusUnprocessableEntity} {
		rule := `{"rule":"self.n >= 0"},`
		body := fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"r%dx.example.com"},"spec":{"group":"example.com",
			"scope":"Cluster","names":{"plural":"r%[1]dx","singular":"r%[1]d","kind":"R%[1]d","listKind":"R%[1]dList"},"versions":[{"name":"v1","served":true,"storage":true,
			"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"n":{"type":"integer"}},"x-kubernetes-validations":[%s]}}}}}]}}`,
			n, strings.TrimSuffix(strings.Repeat(rule, n), ","))
		code, text := send(t, url, request{method: "POST", path: definitions, contentType: "application/json", body: body})
		if code != want || code != http.StatusCreated && !strings.Contains(text, "must not have more than 1000 validation rules") {
			t.Errorf("%d rules: %d %.300s", n, code, text)
		}
	}
}
