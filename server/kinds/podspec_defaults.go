package kinds

import (
	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// orDefault points p at value if it points nowhere.
func orDefault[T any](p **T, value T) {
	if *p == nil {
		*p = &value
	}
}

// orValue sets p to value if it is zero.
func orValue[T comparable](p *T, value T) {
	var zero T
	if *p == zero {
		*p = value
	}
}

// defaultPod fills in a pod. Some defaults are for pods alone, not for the templates of pods: links to services, host
// ports, and requests after limits.
func defaultPod(obj runtime.Object) {
	p := obj.(*corev1.Pod)
	defaultPodSpec(&p.Spec)
	// Templates keep a negative time, and are warned of it.
	if *p.Spec.TerminationGracePeriodSeconds < 0 {
		*p.Spec.TerminationGracePeriodSeconds = 1
	}
	for i := range p.Spec.InitContainers {
		defaultRequests(&p.Spec.InitContainers[i].Resources)
	}
	for i := range p.Spec.Containers {
		defaultRequests(&p.Spec.Containers[i].Resources)
	}
	defaultPodLevel(p)
	orDefault(&p.Spec.EnableServiceLinks, corev1.DefaultEnableServiceLinks)
	if p.Spec.HostNetwork {
		defaultHostPorts(p.Spec.InitContainers)
		defaultHostPorts(p.Spec.Containers)
	}
	alignPodIPs(&p.Status)
}

// defaultRequests asks for what may be used, where only that was said.
func defaultRequests(r *corev1.ResourceRequirements) {
	if r.Limits == nil {
		return
	}
	if r.Requests == nil {
		r.Requests = corev1.ResourceList{}
	}
	for name, q := range r.Limits {
		if _, ok := r.Requests[name]; !ok {
			r.Requests[name] = q.DeepCopy()
		}
	}
}

// defaultHostPorts opens on the node what a container opens, as it must be in the node's network.
func defaultHostPorts(containers []corev1.Container) {
	for i := range containers {
		for j := range containers[i].Ports {
			port := &containers[i].Ports[j]
			orValue(&port.HostPort, port.ContainerPort)
		}
	}
}

// alignPodIPs keeps podIP the first of podIPs; when they differ podIP is right, since older clients know only that.
func alignPodIPs(s *corev1.PodStatus) {
	switch {
	case s.PodIP != "" && (len(s.PodIPs) == 0 || s.PodIPs[0].IP != s.PodIP):
		s.PodIPs = []corev1.PodIP{{IP: s.PodIP}}
	case s.PodIP == "" && len(s.PodIPs) > 0:
		s.PodIP = s.PodIPs[0].IP
	}
}

// defaultPodSpec fills in what every pod spec gets, in a pod as in a template.
func defaultPodSpec(s *corev1.PodSpec) {
	orValue(&s.DNSPolicy, corev1.DNSClusterFirst)
	orValue(&s.RestartPolicy, corev1.RestartPolicyAlways)
	orValue(&s.SchedulerName, corev1.DefaultSchedulerName)
	orDefault(&s.TerminationGracePeriodSeconds, int64(corev1.DefaultTerminationGracePeriodSeconds))
	if s.SecurityContext == nil {
		s.SecurityContext = &corev1.PodSecurityContext{}
	}
	// serviceAccount is the old name of serviceAccountName; both always say the same.
	orValue(&s.ServiceAccountName, s.DeprecatedServiceAccount)
	s.DeprecatedServiceAccount = s.ServiceAccountName
	roundToMilli(s.Overhead)
	if s.Resources != nil {
		defaultResources(s.Resources)
	}
	for i := range s.Volumes {
		defaultVolume(&s.Volumes[i])
	}
	for i := range s.InitContainers {
		defaultContainer(&s.InitContainers[i])
	}
	for i := range s.Containers {
		defaultContainer(&s.Containers[i])
	}
	for i := range s.EphemeralContainers {
		c := corev1.Container(s.EphemeralContainers[i].EphemeralContainerCommon)
		defaultContainer(&c)
		s.EphemeralContainers[i].EphemeralContainerCommon = corev1.EphemeralContainerCommon(c)
	}
}

func defaultResources(r *corev1.ResourceRequirements) {
	roundToMilli(r.Limits)
	roundToMilli(r.Requests)
}

func defaultContainer(c *corev1.Container) {
	orValue(&c.ImagePullPolicy, pullPolicy(c.Image))
	orValue(&c.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	orValue(&c.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	defaultResources(&c.Resources)
	for i := range c.Ports {
		orValue(&c.Ports[i].Protocol, corev1.ProtocolTCP)
	}
	for i := range c.Env {
		if c.Env[i].ValueFrom != nil {
			defaultEnvSource(c.Env[i].ValueFrom)
		}
	}
	for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		defaultProbe(p)
	}
	if c.Lifecycle != nil {
		defaultLifecycle(c.Lifecycle.PostStart)
		defaultLifecycle(c.Lifecycle.PreStop)
	}
}

// pullPolicy pulls the tag latest, said or implied, at each start, since it may have moved. An image that cannot be read
// is left to the checks.
func pullPolicy(image string) corev1.PullPolicy {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return corev1.PullIfNotPresent
	}
	tagged, ok := reference.TagNameOnly(named).(reference.Tagged)
	if ok && tagged.Tag() == "latest" {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

func defaultEnvSource(s *corev1.EnvVarSource) {
	if s.FieldRef != nil {
		orValue(&s.FieldRef.APIVersion, "v1")
	}
	if s.FileKeyRef != nil {
		orDefault(&s.FileKeyRef.Optional, false)
	}
}

func defaultProbe(p *corev1.Probe) {
	if p == nil {
		return
	}
	orValue(&p.TimeoutSeconds, 1)
	orValue(&p.PeriodSeconds, 10)
	orValue(&p.SuccessThreshold, 1)
	orValue(&p.FailureThreshold, 3)
	defaultHTTPGet(p.HTTPGet)
	if p.GRPC != nil {
		orDefault(&p.GRPC.Service, "")
	}
}

func defaultLifecycle(h *corev1.LifecycleHandler) {
	if h != nil {
		defaultHTTPGet(h.HTTPGet)
	}
}

func defaultHTTPGet(get *corev1.HTTPGetAction) {
	if get == nil {
		return
	}
	orValue(&get.Path, "/")
	orValue(&get.Scheme, corev1.URISchemeHTTP)
}
