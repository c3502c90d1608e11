package nodes

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// unmounted is why a volume of a Pod cannot be mounted yet, as a kubelet reports it; "" if all can.
func (n *node) unmounted(ctx context.Context, pod *corev1.Pod) (string, error) {
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		why, err := n.lacks(ctx, pod, v)
		if why != "" || err != nil {
			return why, err
		}
	}
	return "", nil
}

// lacks is why one volume cannot be mounted.
func (n *node) lacks(ctx context.Context, pod *corev1.Pod, v *corev1.Volume) (string, error) {
	claim := ""
	switch {
	case v.PersistentVolumeClaim != nil:
		claim = v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		claim = pod.Name + "-" + v.Name
	}
	if claim != "" {
		c, err := n.api.CoreV1().PersistentVolumeClaims(pod.Namespace).Get(ctx, claim, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return fmt.Sprintf("Unable to attach or mount volumes: unmounted volumes=[%s]: persistentvolumeclaim %q not found", v.Name, claim), nil
		case err != nil:
			return "", err
		case c.Status.Phase != corev1.ClaimBound:
			return fmt.Sprintf("Unable to attach or mount volumes: unmounted volumes=[%s]: PVC %s/%s is not bound", v.Name, pod.Namespace, claim), nil
		}
	}
	sources := []corev1.VolumeProjection{{}}
	if s := v.Secret; s != nil {
		sources[0].Secret = &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: s.SecretName}, Optional: s.Optional}
	}
	if c := v.ConfigMap; c != nil {
		sources[0].ConfigMap = &corev1.ConfigMapProjection{LocalObjectReference: c.LocalObjectReference, Optional: c.Optional}
	}
	if v.Projected != nil {
		sources = v.Projected.Sources
	}
	for _, s := range sources {
		why, err := "", error(nil)
		switch {
		case s.Secret != nil:
			why, err = n.absent(ctx, pod, "secret", s.Secret.Name, s.Secret.Optional)
		case s.ConfigMap != nil:
			why, err = n.absent(ctx, pod, "configmap", s.ConfigMap.Name, s.ConfigMap.Optional)
		case s.ClusterTrustBundle != nil:
			why, err = n.untrusted(ctx, s.ClusterTrustBundle)
		}
		if err != nil {
			return "", err
		}
		if why != "" {
			return fmt.Sprintf("MountVolume.SetUp failed for volume %q : %s", v.Name, why), nil
		}
	}
	return "", nil
}

// unset is why the environments of containers cannot be made yet, by the containers' names.
func (n *node) unset(ctx context.Context, pod *corev1.Pod) (map[string]string, error) {
	var all map[string]string
	note := func(container, kind, name string, optional *bool) error {
		why, err := n.absent(ctx, pod, kind, name, optional)
		if why != "" {
			if all == nil {
				all = map[string]string{}
			}
			all[container] = why
		}
		return err
	}
	for _, c := range append(pod.Spec.InitContainers[:len(pod.Spec.InitContainers):len(pod.Spec.InitContainers)], pod.Spec.Containers...) {
		for _, e := range c.EnvFrom {
			if s := e.SecretRef; s != nil {
				if err := note(c.Name, "secret", s.Name, s.Optional); err != nil {
					return nil, err
				}
			}
			if m := e.ConfigMapRef; m != nil {
				if err := note(c.Name, "configmap", m.Name, m.Optional); err != nil {
					return nil, err
				}
			}
		}
		for _, e := range c.Env {
			if e.ValueFrom == nil {
				continue
			}
			if s := e.ValueFrom.SecretKeyRef; s != nil {
				if err := note(c.Name, "secret", s.Name, s.Optional); err != nil {
					return nil, err
				}
			}
			if m := e.ValueFrom.ConfigMapKeyRef; m != nil {
				if err := note(c.Name, "configmap", m.Name, m.Optional); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// absent is that a Secret or ConfigMap is not there; "" if it is, or need not be.
func (n *node) absent(ctx context.Context, pod *corev1.Pod, kind, name string, optional *bool) (string, error) {
	if optional != nil && *optional {
		return "", nil
	}
	var err error
	if kind == "secret" {
		_, err = n.api.CoreV1().Secrets(pod.Namespace).Get(ctx, name, metav1.GetOptions{})
	} else {
		_, err = n.api.CoreV1().ConfigMaps(pod.Namespace).Get(ctx, name, metav1.GetOptions{})
	}
	if apierrors.IsNotFound(err) {
		return fmt.Sprintf("%s %q not found", kind, name), nil
	}
	return "", err
}

// untrusted is that no ClusterTrustBundle is there for a volume; "" if one is, or need not be.
func (n *node) untrusted(ctx context.Context, c *corev1.ClusterTrustBundleProjection) (string, error) {
	bundles := n.api.CertificatesV1().ClusterTrustBundles()
	switch {
	case c.Optional != nil && *c.Optional:
		return "", nil
	case c.Name != nil:
		_, err := bundles.Get(ctx, *c.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return fmt.Sprintf("clustertrustbundle %q not found", *c.Name), nil
		}
		return "", err
	case c.SignerName == nil:
		return "", nil
	}
	selector, err := metav1.LabelSelectorAsSelector(c.LabelSelector) // none selects nothing
	if err != nil {
		return err.Error(), nil
	}
	list, err := bundles.List(ctx, metav1.ListOptions{FieldSelector: "spec.signerName=" + *c.SignerName})
	if err != nil {
		return "", err
	}
	for _, b := range list.Items {
		if selector.Matches(labels.Set(b.Labels)) {
			return "", nil
		}
	}
	return fmt.Sprintf("no clustertrustbundle of signer %q matches the label selector", *c.SignerName), nil
}
