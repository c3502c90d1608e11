package kinds_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestPodSpec_Refused has one wrong thing in each pod, with the path and the reason that Kubernetes gives for it.
func TestPodSpec_Refused(t *testing.T) {
	k := mustKind(t, "Pod")
	never := false
	for name, c := range map[string]struct {
		change func(s *corev1.PodSpec)
		want   string
	}{
		"read-only all the way": {func(s *corev1.PodSpec) {
			mode := corev1.RecursiveReadOnlyEnabled
			s.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
			s.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/v", RecursiveReadOnly: &mode}}
		}, "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true"},
		"resize of what does not resize": {func(s *corev1.PodSpec) {
			s.Containers[0].ResizePolicy = []corev1.ContainerResizePolicy{{ResourceName: "pods", RestartPolicy: corev1.NotRequired}}
		}, `spec.containers[0].resizePolicy: Unsupported value: "pods": supported values: "cpu", "memory"`},
		"restart rule without policy": {func(s *corev1.PodSpec) {
			s.Containers[0].RestartPolicyRules = []corev1.ContainerRestartRule{{Action: corev1.ContainerRestartRuleActionRestart,
				ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{Operator: corev1.ContainerRestartRuleOnExitCodesOpIn}}}
		}, "spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used"},
		"unknown claim": {func(s *corev1.PodSpec) {
			s.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}}
		}, `spec.containers[0].resources.claims[0]: Not found: "gpu": must be one of the names in pod.spec.resourceClaims which is empty`},
		"claim from nowhere": {func(s *corev1.PodSpec) {
			s.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu"}}
		}, `spec.resourceClaims[0]: Invalid value: {"Name":"gpu","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of`},
		"AppArmor without type": {func(s *corev1.PodSpec) {
			s.SecurityContext = &corev1.PodSecurityContext{AppArmorProfile: &corev1.AppArmorProfile{}}
		}, "spec.securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set"},
		"Windows user": {func(s *corev1.PodSpec) {
			user := `a\b\c`
			s.SecurityContext = &corev1.PodSecurityContext{WindowsOptions: &corev1.WindowsSecurityContextOptions{RunAsUserName: &user}}
		}, `spec.securityContext.windowsOptions.runAsUserName: Invalid value: "a\\b\\c": runAsUserName cannot contain more than one backslash`},
		"operating system": {func(s *corev1.PodSpec) {
			s.OS = &corev1.PodOS{Name: "plan9"}
		}, `spec.os: Unsupported value: "plan9": supported values: "linux", "windows"`},
		"own users, host's processes": {func(s *corev1.PodSpec) {
			s.HostUsers, s.HostPID = &never, true
		}, "spec.HostPID: Forbidden: when `hostUsers` is false"},
		"long hostname": {func(s *corev1.PodSpec) {
			name := strings.Repeat("a", 65)
			s.HostnameOverride = &name
		}, "spec.hostnameOverride: Too long: may not be more than 64 bytes"},
		"node and gate": {func(s *corev1.PodSpec) {
			s.NodeName, s.SchedulingGates = "n", []corev1.PodSchedulingGate{{Name: "example.com/g"}}
		}, "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"},
		"search path": {func(s *corev1.PodSpec) {
			s.DNSConfig = &corev1.PodDNSConfig{Searches: []string{"Not A Name"}}
		}, `spec.dnsConfig.searches[0]: Invalid value: "Not A Name"`},
		"sysctl": {func(s *corev1.PodSpec) {
			s.SecurityContext = &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: "Kernel"}}}
		}, `spec.securityContext.sysctls[0].name: Invalid value: "Kernel": must have at most 253 characters`},
	} {
		t.Run(name, func(t *testing.T) {
			p := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "nginx"}}}}
			p.Name, p.Namespace = "web", "default"
			c.change(&p.Spec)
			k.Default(p)
			wantOneError(t, append(k.Validate(p), k.ValidateCreate(p)...), c.want)
		})
	}
}

func wantOneError(t *testing.T, errs field.ErrorList, want string) {
	t.Helper()
	for _, err := range errs {
		if strings.HasPrefix(err.Error(), want) {
			return
		}
	}
	t.Errorf("got %v, want %s", errs, want)
}

// TestPod_DefaultGrace wants a negative time in a pod to mean the shortest one.
func TestPod_DefaultGrace(t *testing.T) {
	k := mustKind(t, "Pod")
	p := mustRead(t, k, `{"spec":{"terminationGracePeriodSeconds":-5,"containers":[{"name":"main","image":"x"}]}}`).(*corev1.Pod)
	k.Default(p)
	if got := *p.Spec.TerminationGracePeriodSeconds; got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}

// TestDeployment_StatusKeepsLabels wants a writer of the status to leave the labels alone.
func TestDeployment_StatusKeepsLabels(t *testing.T) {
	k := mustKind(t, "Deployment")
	old := mustRead(t, k, `{"metadata":{"labels":{"app":"web"}}}`).(*appsv1.Deployment)
	obj := mustRead(t, k, `{"metadata":{"labels":{"app":"other"}}}`).(*appsv1.Deployment)
	k.PrepareForStatusUpdate(obj, old)
	if obj.Labels["app"] != "web" {
		t.Errorf("got %v", obj.Labels)
	}
}
