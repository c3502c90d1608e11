package planted

import (
	"context"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Steps are what a round of the controller does, in this order. A mistake is one of them in another form.
type steps struct {
	begin      func(context.Context, *controller) error // once, before the first round
	mark       func(context.Context, *controller, *Site) (*Site, error)
	deployment func(context.Context, *controller, *Site) error
	service    func(context.Context, *controller, *Site) error
	status     func(context.Context, *controller, *Site) error
	release    func(context.Context, *controller, *Site) error // instead of all others, of a Site that is deleted
}

// right is how the steps should be.
func right() steps {
	return steps{
		begin: begin, mark: mark, deployment: keepDeployment, service: keepService, status: report, release: release,
	}
}

const (
	finalizer  = "planted.example.com/site"
	tagLabel   = "planted.example.com/tag" // the tag of a Site's image, to select by
	siteLabel  = "planted.example.com/site"
	fieldOwner = "site-controller"
)

// reconcile does one round for a Site. The controller must have seen its own writes first: each brings another event.
func (c *controller) reconcile(ctx context.Context, key string) error {
	stored, exists, err := c.siteStore.GetStore().GetByKey(key)
	if err != nil || !exists || c.lags("Site "+key, "Deployment "+key, "Service "+key) {
		return err
	}
	site := stored.(*Site).copy()
	if site.DeletionTimestamp != nil {
		return c.release(ctx, c, site)
	}
	if site, err = c.mark(ctx, c, site); err != nil {
		return err
	}
	if err := c.deployment(ctx, c, site); err != nil {
		return err
	}
	if err := c.service(ctx, c, site); err != nil {
		return err
	}
	return c.status(ctx, c, site)
}

func begin(context.Context, *controller) error { return nil }

// mark keeps the controller's finalizer and its label, and returns the Site as it is then.
func mark(ctx context.Context, c *controller, s *Site) (*Site, error) {
	_, tag, _ := strings.Cut(s.Spec.Image, ":")
	if s.Labels[tagLabel] == tag && slices.Contains(s.Finalizers, finalizer) {
		return s, nil
	}
	s = s.copy()
	if s.Labels == nil {
		s.Labels = map[string]string{}
	}
	s.Labels[tagLabel] = tag
	if !slices.Contains(s.Finalizers, finalizer) {
		s.Finalizers = append(s.Finalizers, finalizer)
	}
	return c.putSite(c.sites.Update(ctx, s, metav1.UpdateOptions{}))
}

// putSite notes what a write of a Site has answered.
func (c *controller) putSite(s *Site, err error) (*Site, error) {
	if err == nil {
		c.wrote("Site", s)
	}
	return s, err
}

// keepDeployment creates the Deployment, or changes in it what differs.
func keepDeployment(ctx context.Context, c *controller, s *Site) error {
	is, err := c.storedDeployment(s)
	switch {
	case err != nil:
		return err
	case is == nil:
		return c.createDeployment(ctx, s)
	}
	want := fitted(is, s)
	if equality.Semantic.DeepEqual(is, want) {
		return nil
	}
	return c.updateDeployment(ctx, want)
}

// storedDeployment is a Site's Deployment as the informer knows it, nil for none. It is not to be changed.
func (c *controller) storedDeployment(s *Site) (*appsv1.Deployment, error) {
	stored, exists, err := c.deployments.GetStore().Get(s)
	if err != nil || !exists {
		return nil, err
	}
	return stored.(*appsv1.Deployment), nil
}

func (c *controller) createDeployment(ctx context.Context, s *Site) error {
	return c.putDeployment(c.AppsV1().Deployments(s.Namespace).Create(ctx, deploymentOf(s), metav1.CreateOptions{}))
}

func (c *controller) updateDeployment(ctx context.Context, d *appsv1.Deployment) error {
	return c.putDeployment(c.AppsV1().Deployments(d.Namespace).Update(ctx, d, metav1.UpdateOptions{}))
}

// putDeployment notes what a write of a Deployment has answered.
func (c *controller) putDeployment(d *appsv1.Deployment, err error) error {
	if err == nil {
		c.wrote("Deployment", d)
		c.count("deployments written")
	}
	return err
}

// fitted is a Deployment with what the Site says, and else as it is.
func fitted(is *appsv1.Deployment, s *Site) *appsv1.Deployment {
	d := is.DeepCopy()
	d.Spec.Template.Spec.Containers[0].Image = s.Spec.Image
	if s.Spec.Replicas != nil {
		d.Spec.Replicas = new(*s.Spec.Replicas)
	}
	return d
}

// deploymentOf is a Site's Deployment, made from nothing.
func deploymentOf(s *Site) *appsv1.Deployment {
	labels := map[string]string{siteLabel: s.Name}
	d := &appsv1.Deployment{
		ObjectMeta: metaOf(s),
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: maps.Clone(labels)},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web"}}},
			},
		},
	}
	return fitted(d, s)
}

// metaOf names an object of a Site, and the Site as its owner.
func metaOf(s *Site) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: s.Name, Namespace: s.Namespace, Labels: map[string]string{siteLabel: s.Name},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(s, group.WithKind("Site"))},
	}
}

// keepService creates the Service. Nothing of a Site changes it.
func keepService(ctx context.Context, c *controller, s *Site) error {
	if _, exists, err := c.services.GetStore().Get(s); err != nil || exists {
		return err
	}
	made, err := c.CoreV1().Services(s.Namespace).Create(ctx, &corev1.Service{
		ObjectMeta: metaOf(s),
		Spec: corev1.ServiceSpec{Selector: map[string]string{siteLabel: s.Name},
			Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}}},
	}, metav1.CreateOptions{})
	if err == nil {
		c.wrote("Service", made)
	}
	return err
}

// report writes the status, if it differs.
func report(ctx context.Context, c *controller, s *Site) error {
	want := SiteStatus{ObservedGeneration: s.Generation, Image: s.Spec.Image, CheckedAt: s.Status.CheckedAt}
	if equality.Semantic.DeepEqual(s.Status, want) {
		return nil
	}
	s = s.copy()
	s.Status = want
	_, err := c.putSite(c.sites.UpdateStatus(ctx, s, metav1.UpdateOptions{}))
	return err
}

// release lets a deleted Site go. Its objects go by their owner references.
func release(ctx context.Context, c *controller, s *Site) error {
	if !slices.Contains(s.Finalizers, finalizer) || c.released[s.UID] {
		return nil
	}
	s = s.copy()
	s.Finalizers = slices.DeleteFunc(s.Finalizers, func(f string) bool { return f == finalizer })
	_, err := c.putSite(c.sites.Update(ctx, s, metav1.UpdateOptions{}))
	c.released[s.UID] = err == nil
	return err
}
