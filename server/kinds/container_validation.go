package kinds

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A containerScope is what a container is checked against: the names that are taken, the volumes that there are.
type containerScope struct {
	volumes map[string]bool
	names   map[string]bool
	grace   *int64 // the pod's terminationGracePeriodSeconds
}

func validateContainers(s *corev1.PodSpec, volumes map[string]bool, path *field.Path) field.ErrorList {
	scope := containerScope{volumes: volumes, names: map[string]bool{}, grace: s.TerminationGracePeriodSeconds}
	var errs field.ErrorList
	if len(s.Containers) == 0 {
		errs = append(errs, field.Required(path.Child("containers"), ""))
	}
	for i := range s.Containers {
		at := path.Child("containers").Index(i)
		errs = append(errs, scope.validate(&s.Containers[i], at)...)
		errs = append(errs, scope.validateRunning(&s.Containers[i], at)...)
	}
	errs = append(errs, validateHostPorts(s.Containers, path.Child("containers"))...)
	for i := range s.InitContainers {
		at := path.Child("initContainers").Index(i)
		errs = append(errs, scope.validate(&s.InitContainers[i], at)...)
		errs = append(errs, scope.validateInit(&s.InitContainers[i], at)...)
	}
	return errs
}

// validate checks what containers of every sort have.
func (s *containerScope) validate(c *corev1.Container, path *field.Path) field.ErrorList {
	errs := s.takeName(c.Name, path.Child("name"))
	errs = append(errs, required(path.Child("image"), c.Image)...)
	errs = append(errs, oneOf(path.Child("imagePullPolicy"), c.ImagePullPolicy,
		corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
	errs = append(errs, oneOf(path.Child("terminationMessagePolicy"), c.TerminationMessagePolicy,
		corev1.TerminationMessageFallbackToLogsOnError, corev1.TerminationMessageReadFile)...)
	if c.RestartPolicy != nil {
		errs = append(errs, oneOf(path.Child("restartPolicy"), *c.RestartPolicy,
			corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicyNever, corev1.ContainerRestartPolicyOnFailure)...)
	}
	errs = append(errs, validateContainerPorts(c.Ports, path.Child("ports"))...)
	errs = append(errs, validateEnv(c.Env, path.Child("env"))...)
	errs = append(errs, validateEnvFrom(c.EnvFrom, path.Child("envFrom"))...)
	errs = append(errs, s.validateMounts(c, path.Child("volumeMounts"))...)
	errs = append(errs, s.validateDevices(c, path.Child("volumeDevices"))...)
	errs = append(errs, validateContainerResources(&c.Resources, path.Child("resources"))...)
	return append(errs, validateContainerSecurity(c.SecurityContext, path.Child("securityContext"))...)
}

// takeName checks a name, which must be the only one among the pod's containers.
func (s *containerScope) takeName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return required(path, name)
	}
	errs := named(path, name, validation.IsDNS1123Label(name))
	if s.names[name] {
		errs = append(errs, field.Duplicate(path, name))
	}
	s.names[name] = true
	return errs
}

// validateRunning checks hooks and probes, which only a container that stays has.
func (s *containerScope) validateRunning(c *corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.Lifecycle != nil {
		errs = append(errs, validateHook(c.Lifecycle.PostStart, s.grace, path.Child("lifecycle", "postStart"))...)
		errs = append(errs, validateHook(c.Lifecycle.PreStop, s.grace, path.Child("lifecycle", "preStop"))...)
	}
	errs = append(errs, validateLivenessProbe(c.LivenessProbe, path.Child("livenessProbe"))...)
	errs = append(errs, validateReadinessProbe(c.ReadinessProbe, path.Child("readinessProbe"))...)
	return append(errs, validateLivenessProbe(c.StartupProbe, path.Child("startupProbe"))...)
}

// validateInit forbids hooks and probes to an init container, unless it is a sidecar.
func (s *containerScope) validateInit(c *corev1.Container, path *field.Path) field.ErrorList {
	if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
		return append(validateHostPorts([]corev1.Container{*c}, path), s.validateRunning(c, path)...)
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
		if p.HostIP != "" {
			errs = append(errs, validation.IsValidIP(at.Child("hostIP"), p.HostIP)...)
		}
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

func (s *containerScope) validateMounts(c *corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	for i, m := range c.VolumeMounts {
		at := path.Index(i)
		if m.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		if !s.volumes[m.Name] {
			errs = append(errs, field.NotFound(at.Child("name"), m.Name))
		}
		errs = append(errs, required(at.Child("mountPath"), m.MountPath)...)
		if paths[m.MountPath] {
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must be unique"))
		}
		paths[m.MountPath] = true
		errs = append(errs, validateSubPaths(&m, at)...)
		errs = append(errs, validatePropagation(m.MountPropagation, c, at.Child("mountPropagation"))...)
	}
	return errs
}

func validateSubPaths(m *corev1.VolumeMount, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if m.SubPath != "" {
		errs = append(errs, validateDescendingPath(m.SubPath, path.Child("subPath"))...)
	}
	if m.SubPathExpr == "" {
		return errs
	}
	at := path.Child("subPathExpr")
	if m.SubPath != "" {
		errs = append(errs, field.Invalid(at, m.SubPathExpr, "subPathExpr and subPath are mutually exclusive"))
	}
	return append(errs, validateDescendingPath(m.SubPathExpr, at)...)
}

func validatePropagation(mode *corev1.MountPropagationMode, c *corev1.Container, path *field.Path) field.ErrorList {
	if mode == nil {
		return nil
	}
	privileged := c.SecurityContext != nil && isTrue(c.SecurityContext.Privileged)
	if *mode == corev1.MountPropagationBidirectional && !privileged {
		return field.ErrorList{field.Forbidden(path, "Bidirectional mount propagation is available only to privileged containers")}
	}
	return oneOf(path, *mode, corev1.MountPropagationBidirectional, corev1.MountPropagationHostToContainer, corev1.MountPropagationNone)
}

func (s *containerScope) validateDevices(c *corev1.Container, path *field.Path) field.ErrorList {
	mounts := map[string]bool{}
	for _, m := range c.VolumeMounts {
		mounts[m.MountPath] = true
	}
	var errs field.ErrorList
	paths := map[string]bool{}
	for i, d := range c.VolumeDevices {
		at := path.Index(i)
		errs = append(errs, required(at.Child("name"), d.Name)...)
		if d.Name != "" && !s.volumes[d.Name] {
			errs = append(errs, field.NotFound(at.Child("name"), d.Name))
		}
		errs = append(errs, required(at.Child("devicePath"), d.DevicePath)...)
		if paths[d.DevicePath] {
			errs = append(errs, field.Invalid(at.Child("devicePath"), d.DevicePath, "must be unique"))
		}
		paths[d.DevicePath] = true
		if mounts[d.DevicePath] {
			errs = append(errs, field.Invalid(at.Child("devicePath"), d.DevicePath, "must not already exist as a path in volumeMounts"))
		}
	}
	return errs
}
