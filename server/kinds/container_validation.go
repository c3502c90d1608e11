package kinds

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A containerScope is what a container is checked against: the pod, the names that are taken, the volumes and claims
// that there are.
type containerScope struct {
	pod     *corev1.PodSpec
	volumes map[string]bool
	claims  map[string]bool
	names   map[string]bool
}

func validateContainers(s *corev1.PodSpec, volumes map[string]bool, path *field.Path) field.ErrorList {
	scope := containerScope{pod: s, volumes: volumes, claims: claimNames(s), names: map[string]bool{}}
	var errs field.ErrorList
	if len(s.Containers) == 0 {
		errs = append(errs, field.Required(path.Child("containers"), ""))
	}
	for i := range s.Containers {
		at := path.Child("containers").Index(i)
		errs = append(errs, scope.validate(&s.Containers[i], at)...)
		errs = append(errs, scope.takeName(s.Containers[i].Name, at.Child("name"))...)
		errs = append(errs, scope.validateRunning(&s.Containers[i], at)...)
		errs = append(errs, validateRestart(&s.Containers[i], at)...)
	}
	errs = append(errs, validateHostPorts(s.Containers, path.Child("containers"))...)
	for i := range s.InitContainers {
		at := path.Child("initContainers").Index(i)
		errs = append(errs, scope.validate(&s.InitContainers[i], at)...)
		errs = append(errs, validateInitRestart(&s.InitContainers[i], at)...)
		errs = append(errs, scope.takeName(s.InitContainers[i].Name, at.Child("name"))...)
		errs = append(errs, validateHostPorts(s.InitContainers[i:i+1], path.Child("initContainers"))...)
		errs = append(errs, scope.validateInit(&s.InitContainers[i], at)...)
	}
	return append(errs, scope.validateEphemeral(path.Child("ephemeralContainers"))...)
}

// validate checks what containers of every sort have.
func (s *containerScope) validate(c *corev1.Container, path *field.Path) field.ErrorList {
	errs := requiredName(path.Child("name"), c.Name, validation.IsDNS1123Label)
	errs = append(errs, required(path.Child("image"), c.Image)...)
	errs = append(errs, oneOf(path.Child("terminationMessagePolicy"), c.TerminationMessagePolicy,
		corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError)...)
	errs = append(errs, validateContainerPorts(c.Ports, path.Child("ports"))...)
	errs = append(errs, validateEnv(c.Env, path.Child("env"))...)
	errs = append(errs, validateEnvFrom(c.EnvFrom, path.Child("envFrom"))...)
	errs = append(errs, s.validateMounts(c, path.Child("volumeMounts"))...)
	errs = append(errs, s.validateDevices(c, path.Child("volumeDevices"))...)
	errs = append(errs, oneOf(path.Child("imagePullPolicy"), c.ImagePullPolicy,
		corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
	errs = append(errs, validateContainerResources(&c.Resources, path.Child("resources"))...)
	errs = append(errs, validateResourceClaims(c.Resources.Claims, s.claims, path.Child("resources", "claims"))...)
	errs = append(errs, validateResizePolicy(c.ResizePolicy, s.pod.RestartPolicy, path.Child("resizePolicy"))...)
	return append(errs, s.validateSecurity(c.SecurityContext, path.Child("securityContext"))...)
}

// requiredName checks a name that must be there.
func requiredName(path *field.Path, name string, reasons func(string) []string) field.ErrorList {
	if name == "" {
		return required(path, name)
	}
	return named(path, name, reasons(name))
}

// takeName checks that a name is the only one among the pod's containers.
func (s *containerScope) takeName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return nil
	}
	if s.names[name] {
		return field.ErrorList{field.Duplicate(path, name)}
	}
	s.names[name] = true
	return nil
}

// validateRunning checks hooks and probes, which only a container that stays has.
func (s *containerScope) validateRunning(c *corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.Lifecycle != nil {
		errs = append(errs, validateHook(c.Lifecycle.PostStart, s.pod.TerminationGracePeriodSeconds, path.Child("lifecycle", "postStart"))...)
		errs = append(errs, validateHook(c.Lifecycle.PreStop, s.pod.TerminationGracePeriodSeconds, path.Child("lifecycle", "preStop"))...)
	}
	errs = append(errs, validateLivenessProbe(c.LivenessProbe, path.Child("livenessProbe"))...)
	errs = append(errs, validateReadinessProbe(c.ReadinessProbe, path.Child("readinessProbe"))...)
	return append(errs, validateLivenessProbe(c.StartupProbe, path.Child("startupProbe"))...)
}

// validateInit forbids hooks and probes to an init container, unless it is a sidecar.
func (s *containerScope) validateInit(c *corev1.Container, path *field.Path) field.ErrorList {
	if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
		return s.validateRunning(c, path)
	}
	const message = "may not be set for init containers without restartPolicy=Always"
	var errs field.ErrorList
	if c.Lifecycle != nil {
		errs = append(errs, field.Forbidden(path.Child("lifecycle"), message))
	}
	if c.LivenessProbe != nil {
		errs = append(errs, field.Forbidden(path.Child("livenessProbe"), message))
	}
	if c.ReadinessProbe != nil {
		errs = append(errs, field.Forbidden(path.Child("readinessProbe"), message))
	}
	if c.StartupProbe != nil {
		errs = append(errs, field.Forbidden(path.Child("startupProbe"), message))
	}
	for i, p := range c.ResizePolicy {
		if p.RestartPolicy == corev1.RestartContainer {
			errs = append(errs, field.Invalid(path.Child("resizePolicy").Index(i).Child("restartPolicy"), p.RestartPolicy,
				"must not be set to 'RestartContainer' for non-sidecar initContainers"))
		}
	}
	return errs
}

// validateImageSpace refuses an image with spaces around it, which a pod could never run.
func validateImageSpace(image string, path *field.Path) field.ErrorList {
	if strings.TrimSpace(image) == image {
		return nil
	}
	return field.ErrorList{field.Invalid(path, image, "must not have leading or trailing whitespace")}
}

func validateContainerPorts(ports []corev1.ContainerPort, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, p := range ports {
		at := path.Index(i)
		if p.Name != "" {
			reasons := validation.IsValidPortName(p.Name)
			errs = append(errs, named(at.Child("name"), p.Name, reasons)...)
			if len(reasons) == 0 && names[p.Name] {
				errs = append(errs, field.Duplicate(at.Child("name"), p.Name))
			}
			names[p.Name] = true
		}
		if p.ContainerPort == 0 {
			errs = append(errs, field.Required(at.Child("containerPort"), ""))
		} else {
			errs = append(errs, validatePortNumber(p.ContainerPort, at.Child("containerPort"))...)
		}
		if p.HostPort != 0 {
			errs = append(errs, validatePortNumber(p.HostPort, at.Child("hostPort"))...)
		}
		errs = append(errs, oneOf(at.Child("protocol"), p.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
	}
	return errs
}

func validatePortNumber(port int32, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, reason := range validation.IsValidPortNum(int(port)) {
		errs = append(errs, field.Invalid(path, port, reason))
	}
	return errs
}

// validateHostPorts refuses a port of the node that two containers want.
func validateHostPorts(containers []corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, c := range containers {
		for j, p := range c.Ports {
			if p.HostPort == 0 {
				continue
			}
			key := fmt.Sprintf("%s/%s/%d", p.Protocol, p.HostIP, p.HostPort)
			if seen[key] {
				errs = append(errs, field.Duplicate(path.Index(i).Child("ports").Index(j).Child("hostPort"), key))
			}
			seen[key] = true
		}
	}
	return errs
}
