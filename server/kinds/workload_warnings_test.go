package kinds_test

import (
	"slices"
	"testing"
)

// TestKind_WarnWorkloads has a good object with something that is better said in another way.
func TestKind_WarnWorkloads(t *testing.T) {
	for name, c := range map[string]struct{ kind, text, want string }{
		"variable twice": {"Pod", `{"metadata":{"name":"web"},"spec":{"containers":[{"name":"main","image":"x","env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]}]}}`,
			`spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply`},
		"long name": {"Pod", `{"metadata":{"name":"web.v2"},"spec":{"containers":[{"name":"main","image":"x"}]}}`,
			"metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"},
		"port twice": {"Deployment", `{"metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[{"name":"main","image":"x","ports":[{"containerPort":80},{"containerPort":80}]}]}}}}`,
			"spec.template.spec.containers[0].ports[1]: duplicate port definition with spec.template.spec.containers[0].ports[0]"},
		"old label": {"Job", `{"metadata":{"name":"j"},"spec":{"template":{"spec":{"nodeSelector":{"beta.kubernetes.io/os":"linux"},"containers":[{"name":"main","image":"x"}]}}}}`,
			`spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead`},
		"millibytes": {"PersistentVolumeClaim", `{"metadata":{"name":"c"},"spec":{"resources":{"requests":{"storage":"100m"}}}}`,
			`spec.resources.requests[storage]: fractional byte value "100m" is invalid, must be an integer`},
		"external address": {"Service", `{"metadata":{"name":"s"},"spec":{"type":"ClusterIP","externalIPs":["1.2.3.4"]}}`,
			"spec.externalIPs is deprecated and may no longer be implemented in some clusters"},
		"no certificate": {"Secret", `{"metadata":{"name":"s"},"type":"kubernetes.io/tls","data":{"tls.crt":"","tls.key":""}}`,
			"tls: failed to find any PEM data in certificate input"},
		"recycled": {"PersistentVolume", `{"metadata":{"name":"v"},"spec":{"persistentVolumeReclaimPolicy":"Recycle"}}`,
			"spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning."},
		"old id": {"Node", `{"metadata":{"name":"n"},"spec":{"externalID":"x"}}`, "spec.externalID: this field is deprecated, and is unused by Kubernetes"},
		"endless": {"StatefulSet", `{"metadata":{"name":"s"},"spec":{"revisionHistoryLimit":-1,"template":{}}}`,
			"spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"},
	} {
		t.Run(name, func(t *testing.T) {
			k := mustKind(t, c.kind)
			obj := mustRead(t, k, c.text)
			if got := k.Warn(obj, nil); !slices.Contains(got, c.want) {
				t.Errorf("got %q, want %s", got, c.want)
			}
			if got := k.Warn(obj, obj.DeepCopyObject()); c.kind == "Pod" && len(got) > 0 {
				t.Errorf("an update is warned of too: %q", got)
			}
		})
	}
}
