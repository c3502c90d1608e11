package registry

import (
	"context"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TokenObjects looks up what tokens of ServiceAccounts depend on, as it is now. It is a ServiceAccountTokenGetter of
// k8s.io/kubernetes/pkg/serviceaccount.
type TokenObjects struct{ Registry *Registry }

// GetServiceAccount returns a ServiceAccount.
func (t TokenObjects) GetServiceAccount(ctx context.Context, namespace, name string) (*corev1.ServiceAccount, error) {
	return typed[*corev1.ServiceAccount](t.Registry.lookUp(ctx, "serviceaccounts", namespace, name))
}

// GetPod returns a Pod.
func (t TokenObjects) GetPod(ctx context.Context, namespace, name string) (*corev1.Pod, error) {
	return typed[*corev1.Pod](t.Registry.lookUp(ctx, "pods", namespace, name))
}

// GetSecret returns a Secret.
func (t TokenObjects) GetSecret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	return typed[*corev1.Secret](t.Registry.lookUp(ctx, "secrets", namespace, name))
}

// GetNode returns a Node.
func (t TokenObjects) GetNode(ctx context.Context, name string) (*corev1.Node, error) {
	return typed[*corev1.Node](t.Registry.lookUp(ctx, "nodes", "", name))
}

// GetValidatingWebhookConfiguration returns a ValidatingWebhookConfiguration.
func (t TokenObjects) GetValidatingWebhookConfiguration(ctx context.Context, name string) (*admissionregistrationv1.ValidatingWebhookConfiguration, error) {
	return typed[*admissionregistrationv1.ValidatingWebhookConfiguration](
		t.Registry.lookUp(ctx, "validatingwebhookconfigurations.admissionregistration.k8s.io", "", name))
}

// GetMutatingWebhookConfiguration returns a MutatingWebhookConfiguration.
func (t TokenObjects) GetMutatingWebhookConfiguration(ctx context.Context, name string) (*admissionregistrationv1.MutatingWebhookConfiguration, error) {
	return typed[*admissionregistrationv1.MutatingWebhookConfiguration](
		t.Registry.lookUp(ctx, "mutatingwebhookconfigurations.admissionregistration.k8s.io", "", name))
}

// typed is an object that was looked up, in its Go type.
func typed[T metav1.Object](obj metav1.Object, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return obj.(T), nil
}
