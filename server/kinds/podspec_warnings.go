package kinds

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// podWarnings tells what is allowed in a pod or a template, yet has no use or an unexpected one. path is nil for a pod
// itself.
func podWarnings(meta *metav1.ObjectMeta, s *corev1.PodSpec, path *field.Path) []string {
	spec := path.Child("spec")
	if path == nil {
		spec = field.NewPath("spec")
	}
	var told []string
	told = append(told, placementWarnings(s, spec)...)
	told = append(told, podAnnotationWarnings(meta, annotationsPath(path))...)
	for i := range s.Volumes {
		told = append(told, volumeWarnings(&s.Volumes[i], spec.Child("volumes").Index(i))...)
	}
	told = append(told, repeatWarnings(s, spec)...)
	told = append(told, fractionWarnings(s.Overhead, spec.Child("overhead"))...)
	eachContainer(s, spec, func(c *corev1.Container, at *field.Path) {
		told = append(told, containerWarnings(meta, c, at, annotationsPath(path))...)
	})
	told = append(told, portWarnings(s, spec)...)
	told = append(told, portNameWarnings(s, spec)...)
	if g := s.TerminationGracePeriodSeconds; g != nil && *g < 0 {
		told = append(told, fmt.Sprintf("%s: must be >= 0; negative values are invalid and will be treated as 1", spec.Child("terminationGracePeriodSeconds")))
	}
	told = append(told, podTermWarnings(s.Affinity, spec.Child("affinity"))...)
	return append(told, addressWarnings(s, spec)...)
}

func annotationsPath(path *field.Path) *field.Path {
	if path == nil {
		return field.NewPath("metadata", "annotations")
	}
	return path.Child("metadata", "annotations")
}

// eachContainer visits the containers of every sort, in the order in which they start.
func eachContainer(s *corev1.PodSpec, path *field.Path, visit func(c *corev1.Container, at *field.Path)) {
	for i := range s.InitContainers {
		visit(&s.InitContainers[i], path.Child("initContainers").Index(i))
	}
	for i := range s.Containers {
		visit(&s.Containers[i], path.Child("containers").Index(i))
	}
	for i := range s.EphemeralContainers {
		c := corev1.Container(s.EphemeralContainers[i].EphemeralContainerCommon)
		visit(&c, path.Child("ephemeralContainers").Index(i))
	}
}

// placementWarnings tells of labels of nodes by which a pod is placed, and of constraints that choose no pods.
func placementWarnings(s *corev1.PodSpec, spec *field.Path) []string {
	var told []string
	for _, key := range slices.Sorted(maps.Keys(s.NodeSelector)) {
		if message, old := oldNodeLabels[key]; old {
			told = append(told, fmt.Sprintf("%s: %s", spec.Child("nodeSelector").Key(key), message))
		}
	}
	if s.Affinity != nil && s.Affinity.NodeAffinity != nil {
		n, at := s.Affinity.NodeAffinity, spec.Child("affinity", "nodeAffinity")
		if must := n.RequiredDuringSchedulingIgnoredDuringExecution; must != nil {
			for i := range must.NodeSelectorTerms {
				told = append(told, nodeTermWarnings(&must.NodeSelectorTerms[i], at.Child(mustHold, "nodeSelectorTerms").Index(i))...)
			}
		}
		for i := range n.PreferredDuringSchedulingIgnoredDuringExecution {
			term, here := &n.PreferredDuringSchedulingIgnoredDuringExecution[i].Preference, at.Child(shouldHold).Index(i).Child("preference")
			told = append(told, nodeTermWarnings(term, here)...)
			told = append(told, nodeValueWarnings(term, here)...)
		}
	}
	for i, c := range s.TopologySpreadConstraints {
		at := spec.Child("topologySpreadConstraints").Index(i)
		if message, old := oldNodeLabels[c.TopologyKey]; old {
			told = append(told, fmt.Sprintf("%s: %s is %s", at.Child("topologyKey"), c.TopologyKey, message))
		}
		if c.LabelSelector == nil {
			told = append(told, choosesNone(at))
		}
	}
	return told
}

func nodeTermWarnings(t *corev1.NodeSelectorTerm, path *field.Path) []string {
	var told []string
	for i, r := range t.MatchExpressions {
		if message, old := oldNodeLabels[r.Key]; old {
			told = append(told, fmt.Sprintf("%s: %s is %s", path.Child("matchExpressions").Index(i).Child("key"), r.Key, message))
		}
	}
	return told
}

// nodeValueWarnings tells of values that no label can have, which a mere preference is not refused for.
func nodeValueWarnings(t *corev1.NodeSelectorTerm, path *field.Path) []string {
	var told []string
	for i, r := range t.MatchExpressions {
		for j, value := range r.Values {
			for _, reason := range validation.IsValidLabelValue(value) {
				told = append(told, fmt.Sprintf("%s: %s is invalid, %s", path.Child("matchExpressions").Index(i).Child("values").Index(j), value, reason))
			}
		}
	}
	return told
}

func choosesNone(path *field.Path) string {
	return fmt.Sprintf("%s: a null labelSelector results in matching no pod", path.Child("labelSelector"))
}

func podTermWarnings(a *corev1.Affinity, path *field.Path) []string {
	var told []string
	check := func(must []corev1.PodAffinityTerm, should []corev1.WeightedPodAffinityTerm, at *field.Path) {
		for i := range must {
			if must[i].LabelSelector == nil {
				told = append(told, choosesNone(at.Child(mustHold).Index(i)))
			}
		}
		for i := range should {
			if should[i].PodAffinityTerm.LabelSelector == nil {
				told = append(told, choosesNone(at.Child(shouldHold).Index(i).Child("podAffinityTerm")))
			}
		}
	}
	if a == nil {
		return nil
	}
	if p := a.PodAffinity; p != nil {
		check(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAffinity"))
	}
	if p := a.PodAntiAffinity; p != nil {
		check(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAntiAffinity"))
	}
	return told
}

// podAnnotationWarnings tells of annotations that became fields, in a fixed order.
func podAnnotationWarnings(meta *metav1.ObjectMeta, path *field.Path) []string {
	var told []string
	for _, old := range []struct{ key, field string }{
		{"scheduler.alpha.kubernetes.io/critical-pod", `v1.16+; use the "priorityClassName" field instead`},
		{"security.alpha.kubernetes.io/sysctls", `v1.11+; use the "sysctls" field instead`},
		{"security.alpha.kubernetes.io/unsafe-sysctls", `v1.11+; use the "sysctls" field instead`},
	} {
		if _, ok := meta.Annotations[old.key]; ok {
			told = append(told, fmt.Sprintf("%s: non-functional in %s", path.Key(old.key), old.field))
		}
	}
	return told
}

// volumeWarnings tells of kinds of volumes that are going, or gone, and of sizes in parts of a byte.
func volumeWarnings(v *corev1.Volume, path *field.Path) []string {
	var told []string
	for _, old := range []struct {
		used       bool
		name, text string
	}{
		{v.PhotonPersistentDisk != nil, "photonPersistentDisk", "v1.11, non-functional in v1.16+"},
		{v.GitRepo != nil, "gitRepo", "v1.11, and disabled by default in v1.33+"},
		{v.ScaleIO != nil, "scaleIO", "v1.16, non-functional in v1.22+"},
		{v.Flocker != nil, "flocker", "v1.22, non-functional in v1.25+"},
		{v.StorageOS != nil, "storageOS", "v1.22, non-functional in v1.25+"},
		{v.Quobyte != nil, "quobyte", "v1.22, non-functional in v1.25+"},
		{v.Glusterfs != nil, "glusterfs", "v1.25, non-functional in v1.26+"},
		{v.CephFS != nil, "cephfs", "v1.28, non-functional in v1.31+"},
		{v.RBD != nil, "rbd", "v1.28, non-functional in v1.31+"},
	} {
		if old.used {
			told = append(told, fmt.Sprintf("%s: deprecated in %s", path.Child(old.name), old.text))
		}
	}
	if v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil {
		told = append(told, claimSpecWarnings(&v.Ephemeral.VolumeClaimTemplate.Spec, path.Child("ephemeral", "volumeClaimTemplate", "spec"))...)
	}
	return told
}

// claimSpecWarnings tells of a size in parts of a byte, which a missing "m" or "M" often means.
func claimSpecWarnings(s *corev1.PersistentVolumeClaimSpec, path *field.Path) []string {
	told := fractionWarning(s.Resources.Requests, corev1.ResourceStorage, path.Child("resources", "requests"))
	return append(told, fractionWarning(s.Resources.Limits, corev1.ResourceStorage, path.Child("resources", "limits"))...)
}

func fractionWarnings(list corev1.ResourceList, path *field.Path) []string {
	return append(fractionWarning(list, corev1.ResourceMemory, path), fractionWarning(list, corev1.ResourceEphemeralStorage, path)...)
}

func fractionWarning(list corev1.ResourceList, name corev1.ResourceName, path *field.Path) []string {
	q, ok := list[name]
	if !ok || !isFraction(q) {
		return nil
	}
	return []string{fmt.Sprintf("%s: fractional byte value %q is invalid, must be an integer", path.Key(string(name)), q.String())}
}

// repeatWarnings tells of entries that stand twice.
func repeatWarnings(s *corev1.PodSpec, spec *field.Path) []string {
	var told []string
	seen := map[string]bool{}
	for i, a := range s.HostAliases {
		if seen[a.IP] {
			told = append(told, fmt.Sprintf("%s: duplicate ip %q", spec.Child("hostAliases").Index(i).Child("ip"), a.IP))
		}
		seen[a.IP] = true
	}
	secrets := spec.Child("imagePullSecrets")
	names := map[string]bool{}
	for i, ref := range s.ImagePullSecrets {
		if names[ref.Name] {
			told = append(told, fmt.Sprintf("%s: duplicate name %q", secrets.Index(i).Child("name"), ref.Name))
		}
		names[ref.Name] = true
	}
	for i, ref := range s.ImagePullSecrets {
		if ref.Name == "" {
			told = append(told, fmt.Sprintf("%s: invalid empty name %q", secrets.Index(i).Child("name"), ref.Name))
		}
	}
	return told
}

// containerWarnings tells of sizes in parts of a byte, and of variables that hide others of their name.
func containerWarnings(meta *metav1.ObjectMeta, c *corev1.Container, path, annotations *field.Path) []string {
	var told []string
	key := corev1.SeccompContainerAnnotationKeyPrefix + c.Name //nolint:staticcheck // it is what the warning is about
	if _, ok := meta.Annotations[key]; ok && (c.SecurityContext == nil || c.SecurityContext.SeccompProfile == nil) {
		told = append(told, fmt.Sprintf(`%s: non-functional in v1.27+; use the "seccompProfile" field instead`, annotations.Key(key)))
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
		told = append(told, fractionWarning(c.Resources.Limits, name, path.Child("resources", "limits"))...)
		told = append(told, fractionWarning(c.Resources.Requests, name, path.Child("resources", "requests"))...)
	}
	seen := map[string]bool{}
	for i, v := range c.Env {
		ref := "$(" + v.Name + ")"
		extends := v.ValueFrom == nil && v.Value != ref && strings.Contains(v.Value, ref)
		if seen[v.Name] && !extends {
			told = append(told, fmt.Sprintf("%s: hides previous definition of %q, which may be dropped when using apply", path.Child("env").Index(i), v.Name))
		}
		seen[v.Name] = true
	}
	return told
}

// A placedPort is a port and where it stands.
type placedPort struct {
	corev1.ContainerPort
	at *field.Path
}

// mostWarnings is how many pairs are told of: of their texts no more than 4,096 characters reach the client.
const mostWarnings = 1000

// portWarnings tells of ports that are open twice.
func portWarnings(s *corev1.PodSpec, spec *field.Path) []string {
	var told []string
	type open struct {
		port     int32
		protocol corev1.Protocol
	}
	before := map[open][]placedPort{} // others do not clash
	eachContainer(s, spec, func(c *corev1.Container, at *field.Path) {
		for i, p := range c.Ports {
			port := placedPort{p, at.Child("ports").Index(i)}
			if p.HostIP != "" && p.HostPort == 0 {
				told = append(told, fmt.Sprintf("%s: hostIP set without hostPort: %+v", port.at, shownPort(p)))
			}
			same := open{p.ContainerPort, p.Protocol}
			for _, other := range before[same] {
				if len(told) >= mostWarnings {
					break
				}
				if text := clash(port, other); text != "" {
					told = append(told, fmt.Sprintf("%s: %s port definition with %s", port.at, text, other.at))
				}
			}
			before[same] = append(before[same], port)
		}
	})
	return told
}

// shownPort is a port as Kubernetes shows it: by its fields, not by a method.
func shownPort(p corev1.ContainerPort) any {
	return struct {
		Name          string
		HostPort      int32
		ContainerPort int32
		Protocol      corev1.Protocol
		HostIP        string
	}{p.Name, p.HostPort, p.ContainerPort, p.Protocol, p.HostIP}
}

// clash says how two ports are in each other's way; "" if not at all.
func clash(a, b placedPort) string {
	switch {
	case a.ContainerPort.ContainerPort != b.ContainerPort.ContainerPort || a.Protocol != b.Protocol:
		return ""
	case a.HostIP == b.HostIP && a.HostPort == b.HostPort:
		return "duplicate"
	case a.HostPort == 0 || b.HostPort == 0:
		return "overlapping"
	case a.HostPort == b.HostPort && (a.HostIP == "") != (b.HostIP == ""):
		return "dangerously ambiguous"
	}
	return ""
}

func portNameWarnings(s *corev1.PodSpec, spec *field.Path) []string {
	var told []string
	first := map[string]*field.Path{}
	eachContainer(s, spec, func(c *corev1.Container, at *field.Path) {
		for i, p := range c.Ports {
			here := at.Child("ports").Index(i)
			switch other := first[p.Name]; {
			case p.Name == "":
			case other == nil:
				first[p.Name] = here
			default:
				told = append(told, fmt.Sprintf("%s: duplicate port name %q with %s, services and probes that select ports by name will use %s",
					here, p.Name, other, other))
			}
		}
	})
	return told
}

// addressWarnings tells of addresses in unusual notations.
func addressWarnings(s *corev1.PodSpec, spec *field.Path) []string {
	var told []string
	if s.DNSConfig != nil {
		for i, ns := range s.DNSConfig.Nameservers {
			told = append(told, validation.GetWarningsForIP(spec.Child("dnsConfig", "nameservers").Index(i), ns)...)
		}
	}
	for i, a := range s.HostAliases {
		told = append(told, validation.GetWarningsForIP(spec.Child("hostAliases").Index(i).Child("ip"), a.IP)...)
	}
	return told
}
