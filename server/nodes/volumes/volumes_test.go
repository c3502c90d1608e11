package volumes_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/controllers"
	"kubarium/server/nodes/volumes"
)

func mustStart(t *testing.T) kubernetes.Interface {
	t.Helper()
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "off", Nodes: 1, Controllers: controllers.All()}
	c.Admission.Disable = []string{"ServiceAccount"}
	api := kubernetes.NewForConfigOrDie(&rest.Config{Host: programtest.MustStartConfig(t, c).URL, QPS: -1})
	programtest.Eventually(t, "the class", func() bool {
		_, err := api.StorageV1().StorageClasses().Get(t.Context(), volumes.Class, metav1.GetOptions{})
		return err == nil
	})
	return api
}

func claimOf(name string, class *string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
	c.Spec = corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: class}
	c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	return c
}

// A claim of the default class waits for its Pod; then the official binder and the scheduler, and this provisioner, give it a
// volume on the Pod's node, which goes with the claim.
func TestRun(t *testing.T) {
	api, ctx := mustStart(t), t.Context()
	if _, err := api.CoreV1().PersistentVolumeClaims("default").Create(ctx, claimOf("data", nil), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "db"}}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "i"}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	if _, err := api.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the Pod runs", func() bool {
		p, err := api.CoreV1().Pods("default").Get(ctx, "db", metav1.GetOptions{})
		return err == nil && p.Status.Phase == corev1.PodRunning
	})
	claim, err := api.CoreV1().PersistentVolumeClaims("default").Get(ctx, "data", metav1.GetOptions{})
	if err != nil || claim.Status.Phase != corev1.ClaimBound {
		t.Fatalf("%+v %v", claim.Status, err)
	}
	v, err := api.CoreV1().PersistentVolumes().Get(ctx, claim.Spec.VolumeName, metav1.GetOptions{})
	if err != nil || v.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0] != "node-1" {
		t.Errorf("%+v %v", v, err)
	}
	now := int64(0)
	if err := api.CoreV1().Pods("default").Delete(ctx, "db", metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		t.Fatal(err)
	}
	if err := api.CoreV1().PersistentVolumeClaims("default").Delete(ctx, "data", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	gone(ctx, t, api, v.Name)
}

// gone waits until a volume is deleted.
func gone(ctx context.Context, t *testing.T, api kubernetes.Interface, name string) {
	t.Helper()
	programtest.Eventually(t, "the volume is gone", func() bool {
		_, err := api.CoreV1().PersistentVolumes().Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

// A class of the user's that binds at once gets its volumes without a Pod; what it retains stays.
func TestRun_Immediate(t *testing.T) {
	api, ctx := mustStart(t), t.Context()
	name, keep := "kept", corev1.PersistentVolumeReclaimRetain
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: volumes.Provisioner, ReclaimPolicy: &keep}
	if _, err := api.StorageV1().StorageClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.CoreV1().PersistentVolumeClaims("default").Create(ctx, claimOf("data", &name), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	volume := ""
	programtest.Eventually(t, "the claim is bound", func() bool {
		c, err := api.CoreV1().PersistentVolumeClaims("default").Get(ctx, "data", metav1.GetOptions{})
		if err == nil {
			volume = c.Spec.VolumeName
		}
		return err == nil && c.Status.Phase == corev1.ClaimBound
	})
	if err := api.CoreV1().PersistentVolumeClaims("default").Delete(ctx, "data", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the volume is released", func() bool {
		v, err := api.CoreV1().PersistentVolumes().Get(ctx, volume, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return v.Status.Phase == corev1.VolumeReleased
	})
}
