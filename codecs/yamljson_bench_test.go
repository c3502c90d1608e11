package codecs_test

import (
	"bytes"
	"fmt"
	"testing"

	"sigs.k8s.io/yaml"

	"kubarium/codecs"
)

// BenchmarkYAMLFromJSON rewrites items of 1.4 KB one by one and 40 at a time, and with sigs.k8s.io/yaml, whose bytes they are.
func BenchmarkYAMLFromJSON(b *testing.B) {
	item := fmt.Appendf(nil, `{"metadata":{"name":"app-1-7d4b9c5f6d-x2v9k","namespace":"default","uid":"0b6e1f0a-7a3c-4c9e-9d1f-000000000001","resourceVersion":"12345","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"app-1","pod-template-hash":"7d4b9c5f6d"},"managedFields":[{"manager":"bench","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:k":{}},"f:metadata":{"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{}}}}}]},"data":{"k":"%s"}}`, bytes.Repeat([]byte("x"), 850))
	for _, n := range []int{1, 40} {
		text := append(append([]byte{'['}, bytes.Join(bytes.Split(bytes.Repeat(append(item, '\n'), n), []byte{'\n'})[:n], []byte{','})...), ']')
		for name, rewrite := range map[string]func([]byte) ([]byte, error){"kubarium": codecs.YAMLFromJSON, "sigs": yaml.JSONToYAML} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if _, err := rewrite(text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
