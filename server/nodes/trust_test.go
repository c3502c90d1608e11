package nodes_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/app/program/programtest"
)

// A Pod waits for a ClusterTrustBundle of a volume, by its name or by signer and labels, unless it is optional.
func TestRun_WaitsForTrust(t *testing.T) {
	t.Parallel()
	_, api := mustStart(t, ":memory:", 1)
	ctx := t.Context()
	yes, name, signer := true, "example.com:ca:b", "example.com/ca"
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"live": "yes"}}
	for pod, c := range map[string]corev1.ClusterTrustBundleProjection{
		"named":    {Name: &name},
		"selected": {SignerName: &signer, LabelSelector: selector},
		"nothing":  {SignerName: &signer},
		"optional": {SignerName: &signer, LabelSelector: selector, Optional: &yes},
	} {
		c.Path = "ca.pem"
		mustPod(t, api, pod, "node-1", func(p *corev1.Pod) {
			p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
				Sources: []corev1.VolumeProjection{{ClusterTrustBundle: &c}}}}}}
		})
	}
	messages := func() string {
		list, _ := api.CoreV1().Events("default").List(ctx, metav1.ListOptions{})
		var all strings.Builder
		for _, e := range list.Items {
			all.WriteString(e.InvolvedObject.Name + " " + e.Message + "\n")
		}
		return all.String()
	}
	programtest.Eventually(t, "three wait", func() bool {
		all := messages()
		return strings.Contains(all, `named MountVolume.SetUp failed for volume "v" : clustertrustbundle "example.com:ca:b" not found`) &&
			strings.Contains(all, `selected MountVolume.SetUp failed for volume "v" : no clustertrustbundle of signer "example.com/ca" matches the label selector`) &&
			strings.Contains(all, `nothing MountVolume.SetUp failed`)
	})
	programtest.Eventually(t, "the optional one runs", func() bool { return phase(api, "optional") == corev1.PodRunning })
	bundle := &certificatesv1.ClusterTrustBundle{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: selector.MatchLabels}}
	bundle.Spec.SignerName, bundle.Spec.TrustBundle = signer, certificate(t)
	if _, err := api.CertificatesV1().ClusterTrustBundles().Create(ctx, bundle, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "both run", func() bool {
		return phase(api, "named") == corev1.PodRunning && phase(api, "selected") == corev1.PodRunning
	})
	if got := phase(api, "nothing"); got != corev1.PodPending {
		t.Errorf("without a selector the Pod is %s", got)
	}
}

// certificate is a new one of a CA, in PEM.
func certificate(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
