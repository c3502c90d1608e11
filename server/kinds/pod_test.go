package kinds_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"kubarium/server/kinds"
)

// mustRow returns the catalogue's row of a kind.
func mustRow(t *testing.T, kind string) *kinds.Kind {
	t.Helper()
	for _, k := range kinds.BuiltIn() {
		if k.Kind == kind {
			return k
		}
	}
	t.Fatalf("no row for %s", kind)
	return nil
}

// mustRead reads a YAML text as an object of the kind, with its defaults.
func mustRead(t *testing.T, k *kinds.Kind, text string) runtime.Object {
	t.Helper()
	obj := k.New()
	if err := yaml.UnmarshalStrict([]byte(text), obj); err != nil {
		t.Fatal(err)
	}
	k.Default(obj)
	return obj
}

// mustPod reads the spec of a pod, given in YAML's flow form.
func mustPod(t *testing.T, spec string) *corev1.Pod {
	t.Helper()
	return mustRead(t, mustRow(t, "Pod"), "metadata: {name: p, namespace: ns}\nspec: {"+spec+"}").(*corev1.Pod)
}

const plain = "containers: [{name: c, image: nginx}]"

// What the API reference gives as defaults is there, and a second round changes nothing.
func TestPod_Default(t *testing.T) {
	p := mustPod(t, `hostNetwork: true, serviceAccount: sa,
  volumes: [{name: e}, {name: s, secret: {secretName: x}}, {name: h, hostPath: {path: /x}},
    {name: p, projected: {sources: [{serviceAccountToken: {path: t}}]}}],
  containers: [{name: c, image: "nginx:1", ports: [{containerPort: 80}], resources: {limits: {cpu: 1, memory: 1Gi}},
    env: [{name: N, valueFrom: {fieldRef: {fieldPath: metadata.name}}}],
    livenessProbe: {httpGet: {port: 80}}, startupProbe: {grpc: {port: 1}}, lifecycle: {preStop: {httpGet: {port: 1}}}}],
  initContainers: [{name: i, image: nginx}],
  ephemeralContainers: [{name: e, image: "nginx@sha256:`+strings.Repeat("a", 64)+`"}]`)
	s, c := p.Spec, p.Spec.Containers[0]
	for what, got := range map[string]struct{ have, want any }{
		"dnsPolicy":          {s.DNSPolicy, corev1.DNSClusterFirst},
		"restartPolicy":      {s.RestartPolicy, corev1.RestartPolicyAlways},
		"schedulerName":      {s.SchedulerName, "default-scheduler"},
		"grace":              {*s.TerminationGracePeriodSeconds, int64(30)},
		"securityContext":    {*s.SecurityContext, corev1.PodSecurityContext{}},
		"service links":      {*s.EnableServiceLinks, true},
		"serviceAccountName": {s.ServiceAccountName, "sa"},
		"hostPort":           {c.Ports[0].HostPort, int32(80)},
		"protocol":           {c.Ports[0].Protocol, corev1.ProtocolTCP},
		"request":            {c.Resources.Requests["cpu"], resource.MustParse("1")},
		"fieldRef":           {c.Env[0].ValueFrom.FieldRef.APIVersion, "v1"},
		"probe":              {*c.LivenessProbe.HTTPGet, corev1.HTTPGetAction{Path: "/", Port: c.LivenessProbe.HTTPGet.Port, Scheme: "HTTP"}},
		"probe numbers":      {[4]int32{c.LivenessProbe.TimeoutSeconds, c.LivenessProbe.PeriodSeconds, c.LivenessProbe.SuccessThreshold, c.LivenessProbe.FailureThreshold}, [4]int32{1, 10, 1, 3}},
		"grpc service":       {*c.StartupProbe.GRPC.Service, ""},
		"hook":               {c.Lifecycle.PreStop.HTTPGet.Path, "/"},
		"tag":                {c.ImagePullPolicy, corev1.PullIfNotPresent},
		"no tag":             {s.InitContainers[0].ImagePullPolicy, corev1.PullAlways},
		"digest":             {s.EphemeralContainers[0].ImagePullPolicy, corev1.PullIfNotPresent},
		"message path":       {c.TerminationMessagePath, "/dev/termination-log"},
		"message policy":     {s.EphemeralContainers[0].TerminationMessagePolicy, corev1.TerminationMessageReadFile},
		"empty volume":       {*s.Volumes[0].EmptyDir, corev1.EmptyDirVolumeSource{}},
		"secret mode":        {*s.Volumes[1].Secret.DefaultMode, int32(0o644)},
		"hostPath type":      {*s.Volumes[2].HostPath.Type, corev1.HostPathUnset},
		"token life":         {*s.Volumes[3].Projected.Sources[0].ServiceAccountToken.ExpirationSeconds, int64(3600)},
	} {
		if !equality.Semantic.DeepEqual(got.have, got.want) {
			t.Errorf("%s: %v, want %v", what, got.have, got.want)
		}
	}
	again := p.DeepCopy()
	mustRow(t, "Pod").Default(again)
	if !equality.Semantic.DeepEqual(p, again) {
		t.Errorf("defaults again changed %v to %v", p.Spec, again.Spec)
	}
}

// Only specs that a cluster takes are taken; the others get the official path and words.
func TestPod_Validate(t *testing.T) {
	row := mustRow(t, "Pod")
	for _, c := range []struct{ name, spec, want string }{
		{"plain", plain, ""},
		{"no containers", "", "spec.containers: Required value"},
		{"bad name", "containers: [{name: C_1, image: x}]", `spec.containers[0].name: Invalid value: "C_1": a lowercase RFC 1123 label`},
		{"same name", plain + ", initContainers: [{name: c, image: x}]", `spec.initContainers[0].name: Duplicate value: "c"`},
		{"no image", "containers: [{name: c}]", "spec.containers[0].image: Required value"},
		{"spaces", `containers: [{name: c, image: " x"}]`, `spec.containers[0].image: Invalid value: " x": must not have leading or trailing whitespace`},
		{"pull policy", "containers: [{name: c, image: x, imagePullPolicy: Maybe}]", `spec.containers[0].imagePullPolicy: Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"`},
		{"port range", "containers: [{name: c, image: x, ports: [{containerPort: 70000}]}]", "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"},
		{"no port", "containers: [{name: c, image: x, ports: [{name: a}]}]", "spec.containers[0].ports[0].containerPort: Required value"},
		{"host port twice", "containers: [{name: c, image: x, ports: [{containerPort: 1, hostPort: 9}, {containerPort: 2, hostPort: 9}]}]", `spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//9"`},
		{"env name", `containers: [{name: c, image: x, env: [{name: "a=b"}]}]`, `spec.containers[0].env[0].name: Invalid value: "a=b"`},
		{"env empty source", "containers: [{name: c, image: x, env: [{name: A, valueFrom: {}}]}]", "spec.containers[0].env[0].valueFrom: Invalid value: \"\": must specify one of"},
		{"env value and source", "containers: [{name: c, image: x, env: [{name: A, value: v, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}]", "may not be specified when `value` is not empty"},
		{"env field", "containers: [{name: c, image: x, env: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.nope}}}]}]", "field label not supported: spec.nope"},
		{"envFrom", "containers: [{name: c, image: x, envFrom: [{}]}]", "spec.containers[0].envFrom: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`"},
		{"mount of nothing", "containers: [{name: c, image: x, volumeMounts: [{name: v, mountPath: /a}]}]", `spec.containers[0].volumeMounts[0].name: Not found: "v"`},
		{"mounts at one path", "volumes: [{name: v}], containers: [{name: c, image: x, volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /a}]}]", `spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique`},
		{"two sources", plain + ", volumes: [{name: v, emptyDir: {}, hostPath: {path: /x}}]", "spec.volumes[0].emptyDir: Forbidden: may not specify more than 1 volume type"},
		{"secret without name", plain + ", volumes: [{name: v, secret: {}}]", "spec.volumes[0].secret.secretName: Required value"},
		{"request over limit", "containers: [{name: c, image: x, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]", `spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`},
		{"negative", `containers: [{name: c, image: x, resources: {requests: {cpu: "-1"}}}]`, `spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0`},
		{"probe without handler", "containers: [{name: c, image: x, livenessProbe: {}}]", "spec.containers[0].livenessProbe: Required value: must specify a handler type"},
		{"probe with two", "containers: [{name: c, image: x, livenessProbe: {exec: {command: [a]}, tcpSocket: {port: 1}}}]", "spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"},
		{"probe header", "containers: [{name: c, image: x, livenessProbe: {httpGet: {port: 1, httpHeaders: [{name: A}, {name: a b}]}}}]", "spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: \"a b\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"},
		{"liveness successes", "containers: [{name: c, image: x, livenessProbe: {tcpSocket: {port: 1}, successThreshold: 2}}]", "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"},
		{"init probe", plain + ", initContainers: [{name: i, image: x, livenessProbe: {tcpSocket: {port: 1}}}]", "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always"},
		{"sidecar probe", plain + ", initContainers: [{name: i, image: x, restartPolicy: Always, livenessProbe: {tcpSocket: {port: 1}}}]", ""},
		{"escalation", "containers: [{name: c, image: x, securityContext: {privileged: true, allowPrivilegeEscalation: false}}]", "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"},
		{"user", plain + ", securityContext: {runAsUser: -1}", "spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"},
		{"toleration", plain + ", tolerations: [{value: a}]", "spec.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is empty"},
		{"toleration seconds", plain + ", tolerations: [{key: a, operator: Exists, tolerationSeconds: 1}]", "effect must be 'NoExecute' when `tolerationSeconds` is set"},
		{"node terms", plain + ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}", "must have at least one node selector term"},
		{"spread", plain + ", topologySpreadConstraints: [{maxSkew: 0, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]", "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"},
		{"host alias", plain + ", hostAliases: [{ip: nope}]", `spec.hostAliases[0].ip: Invalid value: "nope"`},
		{"restart policy", plain + ", restartPolicy: Sometimes", `spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"`},
		{"deadline", plain + ", activeDeadlineSeconds: 0", "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"},
		{"dns", plain + ", dnsPolicy: None", "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"},
		{"ephemeral", plain + ", ephemeralContainers: [{name: e, image: x}]", "spec.ephemeralContainers: Forbidden: cannot be set on create"},
	} {
		t.Run(c.name, func(t *testing.T) {
			errs := append(row.Validate(mustPod(t, c.spec)), row.ValidateCreate(mustPod(t, c.spec))...)
			switch {
			case c.want == "" && len(errs) > 0:
				t.Errorf("refused: %v", errs)
			case c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want)):
				t.Errorf("got %v, want %s", errs, c.want)
			}
		})
	}
}

// Of a running pod only a few fields change.
func TestPod_ValidateUpdate(t *testing.T) {
	row := mustRow(t, "Pod")
	for _, c := range []struct{ name, old, now, want string }{
		{"image", plain, "containers: [{name: c, image: nginx, imagePullPolicy: Always}]", ""},
		{"other image", "containers: [{name: c, image: 'a:1'}]", "containers: [{name: c, image: 'a:2'}]", ""},
		{"command", plain, "containers: [{name: c, image: nginx, command: [a]}]", "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`"},
		{"one more", plain, "containers: [{name: c, image: nginx}, {name: d, image: x}]", "spec.containers: Forbidden: pod updates may not add or remove containers"},
		{"toleration more", plain, plain + ", tolerations: [{operator: Exists}]", ""},
		{"toleration less", plain + ", tolerations: [{operator: Exists}]", plain, "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"},
		{"deadline set", plain, plain + ", activeDeadlineSeconds: 5", ""},
		{"deadline later", plain + ", activeDeadlineSeconds: 5", plain + ", activeDeadlineSeconds: 6", "must be less than or equal to previous value"},
		{"grace", plain, plain + ", terminationGracePeriodSeconds: 5", "pod updates may not change fields"},
		{"grace once negative", plain + ", terminationGracePeriodSeconds: -5", plain + ", terminationGracePeriodSeconds: 1", ""},
		{"gate opened", plain + ", schedulingGates: [{name: a}]", plain, ""},
		{"gate added", plain, plain + ", schedulingGates: [{name: a}]", "only deletion is allowed, but found new scheduling gate 'a'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			errs := row.ValidateUpdate(mustPod(t, c.now), mustPod(t, c.old))
			switch {
			case c.want == "" && len(errs) > 0:
				t.Errorf("refused: %v", errs)
			case c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want)):
				t.Errorf("got %v, want %s", errs, c.want)
			}
		})
	}
}

// A new pod is pending, with the quality of service that its resources earn.
func TestPod_PrepareForCreate(t *testing.T) {
	for spec, want := range map[string]corev1.PodQOSClass{
		plain: corev1.PodQOSBestEffort,
		"containers: [{name: c, image: x, resources: {limits: {cpu: 1, memory: 1Gi}}}]":                      corev1.PodQOSGuaranteed,
		"containers: [{name: c, image: x, resources: {limits: {cpu: 1}}}]":                                   corev1.PodQOSBurstable,
		"containers: [{name: c, image: x, resources: {limits: {cpu: 1, memory: 1Gi}}}, {name: d, image: x}]": corev1.PodQOSBurstable,
	} {
		p := mustPod(t, spec)
		mustRow(t, "Pod").PrepareForCreate(p)
		if p.Status.Phase != corev1.PodPending || p.Status.QOSClass != want {
			t.Errorf("%s: %v %v, want Pending %v", spec, p.Status.Phase, p.Status.QOSClass, want)
		}
	}
}

func TestPod_GracePeriod(t *testing.T) {
	wish := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		node  string
		phase corev1.PodPhase
		wish  *int64
		want  int64
	}{
		{"", corev1.PodPending, nil, 0}, {"", corev1.PodPending, wish(9), 0},
		{"n", corev1.PodRunning, nil, 30}, {"n", corev1.PodRunning, wish(9), 9}, {"n", corev1.PodRunning, wish(0), 0},
		{"n", corev1.PodRunning, wish(-1), 1}, {"n", corev1.PodSucceeded, nil, 0}, {"n", corev1.PodFailed, wish(9), 0},
	} {
		p := mustPod(t, plain)
		p.Spec.NodeName, p.Status.Phase = c.node, c.phase
		if got := mustRow(t, "Pod").GracePeriod(p, c.wish); got == nil || *got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// A new pod that a gate holds back says so, and since when.
func TestPod_PrepareGated(t *testing.T) {
	p := mustPod(t, plain+", schedulingGates: [{name: a}]")
	mustRow(t, "Pod").PrepareForCreate(p)
	c := p.Status.Conditions
	if len(c) != 1 || c[0].Type != corev1.PodScheduled || c[0].Reason != "SchedulingGated" || c[0].LastTransitionTime.IsZero() {
		t.Errorf("conditions %+v", c)
	}
}

// The rows of pods read as kubectl's users know them.
func TestPod_Cells(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ name, text, want string }{
		{"new", "status: {phase: Pending}", "p 0/1 Pending 0 <none>"},
		{"running", "status: {phase: Running, podIPs: [{ip: 10.0.0.1}], containerStatuses: [{name: c, ready: true, state: {running: {}}}]}", "p 1/1 Running 0 10.0.0.1"},
		{"crashing", `status: {phase: Running, containerStatuses: [{name: c, restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}},
  lastState: {terminated: {exitCode: 1, finishedAt: "2029-12-31T23:59:00Z"}}}]}`, "p 0/1 CrashLoopBackOff 3 (60s ago) <none>"},
		{"init", "status: {phase: Pending, initContainerStatuses: [{name: i, state: {running: {}}}]}", "p 0/1 Init:0/1 0 <none>"},
		{"init failed", "status: {phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 3}}}]}", "p 0/1 Init:ExitCode:3 0 <none>"},
		{"ended", "status: {phase: Succeeded, containerStatuses: [{name: c, state: {terminated: {exitCode: 0, reason: Completed}}}]}", "p 0/1 Completed 0 <none>"},
		{"signal", "status: {phase: Failed, containerStatuses: [{name: c, state: {terminated: {exitCode: 1, signal: 9}}}]}", "p 0/1 Signal:9 0 <none>"},
		{"reason", "status: {phase: Failed, reason: Evicted}", "p 0/1 Evicted 0 <none>"},
		{"gated", "status: {phase: Pending, conditions: [{type: PodScheduled, reason: SchedulingGated}]}", "p 0/1 SchedulingGated 0 <none>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := mustRow(t, "Pod")
			p := mustRead(t, row, "metadata: {name: p}\nspec: {containers: [{name: c, image: x}], initContainers: [{name: i, image: x}]}\n"+c.text)
			cells := row.Printer.Cells(p, now)
			if len(cells) != len(row.Printer.Columns) {
				t.Fatalf("%d cells for %d columns", len(cells), len(row.Printer.Columns))
			}
			if got := fmt.Sprint(cells[0], " ", cells[1], " ", cells[2], " ", cells[3], " ", cells[5]); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	p := mustPod(t, plain)
	p.Status.Phase, p.DeletionTimestamp = corev1.PodRunning, &metav1.Time{Time: now}
	if got := mustRow(t, "Pod").Printer.Cells(p, now)[2]; got != "Terminating" {
		t.Errorf("deleted: %v", got)
	}
}

const deploymentText = `metadata: {name: d, namespace: ns, uid: u}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: 'x:1'}]}}}`

func TestDeployment_Default(t *testing.T) {
	row := mustRow(t, "Deployment")
	d := mustRead(t, row, deploymentText).(*appsv1.Deployment)
	s := d.Spec
	got := fmt.Sprintln(*s.Replicas, *s.RevisionHistoryLimit, *s.ProgressDeadlineSeconds, s.Strategy.Type,
		s.Strategy.RollingUpdate.MaxSurge, s.Strategy.RollingUpdate.MaxUnavailable, s.Template.Spec.DNSPolicy)
	if want := "1 10 600 RollingUpdate 25% 25% ClusterFirst\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if s.Template.Spec.EnableServiceLinks != nil {
		t.Error("a template got a default that only pods have")
	}
	again := d.DeepCopy()
	row.Default(again)
	if !equality.Semantic.DeepEqual(d, again) {
		t.Error("defaults again changed something")
	}
}

func TestDeployment_Validate(t *testing.T) {
	one := int32(1)
	for _, c := range []struct {
		name, want string
		change     func(s *appsv1.DeploymentSpec)
	}{
		{"good", "", func(*appsv1.DeploymentSpec) {}},
		{"empty selector", "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
			func(s *appsv1.DeploymentSpec) { s.Selector.MatchLabels = nil }},
		{"other labels", "spec.template.metadata.labels: Invalid value: {\"a\":\"c\"}: `selector` does not match template `labels`",
			func(s *appsv1.DeploymentSpec) { s.Template.Labels = map[string]string{"a": "c"} }},
		{"restart", `spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`,
			func(s *appsv1.DeploymentSpec) { s.Template.Spec.RestartPolicy = corev1.RestartPolicyNever }},
		{"recreate", "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
			func(s *appsv1.DeploymentSpec) { s.Strategy.Type = appsv1.RecreateDeploymentStrategyType }},
		{"no progress", "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
			func(s *appsv1.DeploymentSpec) {
				s.Strategy.RollingUpdate.MaxSurge.Type, s.Strategy.RollingUpdate.MaxUnavailable.Type = 0, 0
			}},
		{"negative", "spec.replicas: Invalid value: -1: must be greater than or equal to 0", func(s *appsv1.DeploymentSpec) {
			minus := int32(-1)
			s.Replicas = &minus
		}},
		{"deadline", "spec.progressDeadlineSeconds: Invalid value: 1: must be greater than minReadySeconds",
			func(s *appsv1.DeploymentSpec) { s.ProgressDeadlineSeconds, s.MinReadySeconds = &one, 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := mustRow(t, "Deployment")
			d := mustRead(t, row, deploymentText).(*appsv1.Deployment)
			c.change(&d.Spec)
			errs := row.Validate(d)
			switch {
			case c.want == "" && len(errs) > 0:
				t.Errorf("refused: %v", errs)
			case c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want)):
				t.Errorf("got %v, want %s", errs, c.want)
			}
		})
	}
}

// A Deployment without a selector is told both that it has none and that none matches its template.
func TestDeployment_Validate_NoSelector(t *testing.T) {
	row := mustRow(t, "Deployment")
	d := mustRead(t, row, deploymentText).(*appsv1.Deployment)
	d.Spec.Selector = nil
	errs := row.Validate(d)
	if len(errs) != 2 || errs[0].Error() != "spec.selector: Required value" || errs[1].Field != "spec.template.metadata.labels" {
		t.Errorf("got %v", errs)
	}
}

// The selector stays, annotations count as a generation, the scale shows and sets the replicas.
func TestDeployment_Update(t *testing.T) {
	row := mustRow(t, "Deployment")
	old := mustRead(t, row, deploymentText).(*appsv1.Deployment)
	d := old.DeepCopy()
	d.Annotations, d.Spec.Selector.MatchLabels = map[string]string{"x": "y"}, map[string]string{"z": "z"}
	row.PrepareForUpdate(d, old)
	if d.Generation != old.Generation+1 {
		t.Errorf("generation %d after new annotations", d.Generation)
	}
	if errs := row.ValidateUpdate(d, old); len(errs) != 1 || !strings.HasSuffix(errs[0].Error(), "field is immutable") {
		t.Errorf("changed selector: %v", errs)
	}
	for _, kind := range []string{"Deployment", "ReplicaSet"} {
		row := mustRow(t, kind)
		obj := mustRead(t, row, deploymentText)
		row.Scale.Set(obj, 7)
		scale, err := row.Scale.Get(obj)
		if err != nil || scale.Spec.Replicas != 7 || scale.Status.Selector != "a=b" || scale.UID != "u" {
			t.Errorf("%s: scale %+v, %v", kind, scale, err)
		}
		if cells := row.Printer.Cells(obj, time.Now()); len(cells) != len(row.Printer.Columns) {
			t.Errorf("%s: %d cells for %d columns", kind, len(cells), len(row.Printer.Columns))
		}
	}
}

// A ReplicaSet follows the same rules for its selector and template.
func TestReplicaSet_Validate(t *testing.T) {
	row := mustRow(t, "ReplicaSet")
	r := mustRead(t, row, deploymentText).(*appsv1.ReplicaSet)
	if errs := row.Validate(r); len(errs) > 0 {
		t.Errorf("refused: %v", errs)
	}
	r.Spec.Template.Labels = nil
	if errs := row.Validate(r); len(errs) != 1 || errs[0].Field != "spec.template.metadata.labels" {
		t.Errorf("labels that do not match: %v", errs)
	}
}
