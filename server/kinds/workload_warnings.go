package kinds

import (
	"crypto/tls"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// longNameWarnings tells of a name from which host names will be cut.
func longNameWarnings(name, use string) []string {
	reasons := validation.IsDNS1123Label(name)
	if len(reasons) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("metadata.name: this is used in %s, which can result in surprising behavior; a DNS label is recommended: %v", use, reasons)}
}

const (
	inPodNames   = "Pod names and hostnames"
	inPodsOwn    = "the Pod's hostname"
	noLimitAtAll = "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
)

func templateWarnings(t *corev1.PodTemplateSpec, path *field.Path) []string {
	return podWarnings(&t.ObjectMeta, &t.Spec, path)
}

// isUnchanged tells of an update that left the spec alone: its template was warned of before.
func isUnchanged(obj, old metav1.Object) bool {
	return obj.GetGeneration() == old.GetGeneration()
}

func warnPod(obj, old runtime.Object) []string {
	if old != nil {
		return nil
	}
	p := obj.(*corev1.Pod)
	return append(longNameWarnings(p.Name, inPodsOwn), podWarnings(&p.ObjectMeta, &p.Spec, nil)...)
}

func warnPodTemplate(obj, old runtime.Object) []string {
	if old != nil && isUnchanged(obj.(*corev1.PodTemplate), old.(*corev1.PodTemplate)) {
		return nil
	}
	return templateWarnings(&obj.(*corev1.PodTemplate).Template, field.NewPath("template"))
}

func warnDeployment(obj, old runtime.Object) []string {
	d := obj.(*appsv1.Deployment)
	if old == nil {
		return append(longNameWarnings(d.Name, inPodNames), templateWarnings(&d.Spec.Template, templatePath())...)
	}
	if isUnchanged(d, old.(*appsv1.Deployment)) {
		return nil
	}
	return templateWarnings(&d.Spec.Template, templatePath())
}

func templatePath() *field.Path { return field.NewPath("spec", "template") }

func warnReplicaSet(obj, old runtime.Object) []string {
	rs := obj.(*appsv1.ReplicaSet)
	if old == nil {
		return append(longNameWarnings(rs.Name, inPodNames), templateWarnings(&rs.Spec.Template, templatePath())...)
	}
	if isUnchanged(rs, old.(*appsv1.ReplicaSet)) {
		return nil
	}
	return templateWarnings(&rs.Spec.Template, templatePath())
}

// warnReplicationController looks at the old template on an update, as Kubernetes does.
func warnReplicationController(obj, old runtime.Object) []string {
	rc := obj.(*corev1.ReplicationController)
	var told []string
	switch {
	case old == nil:
		told = longNameWarnings(rc.Name, inPodNames)
	case isUnchanged(rc, old.(*corev1.ReplicationController)):
		return nil
	default:
		rc = old.(*corev1.ReplicationController)
	}
	if rc.Spec.Template == nil {
		return told
	}
	return append(told, templateWarnings(rc.Spec.Template, templatePath())...)
}

func warnDaemonSet(obj, old runtime.Object) []string {
	ds := obj.(*appsv1.DaemonSet)
	if old != nil && isUnchanged(ds, old.(*appsv1.DaemonSet)) {
		return nil
	}
	return templateWarnings(&ds.Spec.Template, templatePath())
}

func warnStatefulSet(obj, old runtime.Object) []string {
	s := obj.(*appsv1.StatefulSet)
	var told []string
	if old == nil || !isUnchanged(s, old.(*appsv1.StatefulSet)) {
		told = templateWarnings(&s.Spec.Template, templatePath())
	}
	for i := range s.Spec.VolumeClaimTemplates {
		at := field.NewPath("spec", "volumeClaimTemplates").Index(i)
		if old != nil {
			at = at.Child("Spec") // so in Kubernetes
		}
		told = append(told, claimSpecWarnings(&s.Spec.VolumeClaimTemplates[i].Spec, at)...)
	}
	if l := s.Spec.RevisionHistoryLimit; l != nil && *l < 0 {
		told = append(told, noLimitAtAll)
	}
	return told
}

func warnJob(obj, old runtime.Object) []string {
	j := obj.(*batchv1.Job)
	if old == nil {
		return append(longNameWarnings(j.Name, inPodNames), jobSpecWarnings(&j.Spec, field.NewPath("spec"))...)
	}
	if isUnchanged(j, old.(*batchv1.Job)) {
		return nil
	}
	return jobSpecWarnings(&j.Spec, field.NewPath("spec"))
}

// jobSpecWarnings also tells of an indexed Job whose failures may no longer fit its status.
func jobSpecWarnings(s *batchv1.JobSpec, path *field.Path) []string {
	var told []string
	indexed := s.CompletionMode != nil && *s.CompletionMode == batchv1.IndexedCompletion
	if indexed && valueOr0(s.Completions) > manyCompletions && valueOr0(s.Parallelism) > mostParallelOfMany {
		told = append(told, fmt.Sprintf("%s: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, "+
			"Kubernetes might not be able to track completedIndexes when a big number of indexes fail", path))
	}
	return append(told, templateWarnings(&s.Template, path.Child("template"))...)
}

func valueOr0(n *int32) int32 {
	if n == nil {
		return 0
	}
	return *n
}

func warnCronJob(obj, old runtime.Object) []string {
	c := obj.(*batchv1.CronJob)
	path := field.NewPath("spec", "jobTemplate", "spec")
	if old == nil {
		return append(longNameWarnings(c.Name, inPodNames), jobSpecWarnings(&c.Spec.JobTemplate.Spec, path)...)
	}
	var told []string
	if !isUnchanged(c, old.(*batchv1.CronJob)) {
		told = jobSpecWarnings(&c.Spec.JobTemplate.Spec, path)
	}
	if strings.Contains(c.Spec.Schedule, "TZ") {
		told = append(told, "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "+
			"https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details")
	}
	return told
}

// warnSecret tells of a certificate that does not go with its key.
func warnSecret(obj, _ runtime.Object) []string {
	s := obj.(*corev1.Secret)
	if s.Type != corev1.SecretTypeTLS {
		return nil
	}
	if _, err := tls.X509KeyPair(s.Data[corev1.TLSCertKey], s.Data[corev1.TLSPrivateKeyKey]); err != nil {
		return []string{err.Error()}
	}
	return nil
}

func warnServiceAccount(obj, old runtime.Object) []string {
	const key = "kubernetes.io/enforce-mountable-secrets"
	if old != nil {
		if _, had := old.(*corev1.ServiceAccount).Annotations[key]; had {
			return nil
		}
	}
	if _, has := obj.(*corev1.ServiceAccount).Annotations[key]; !has {
		return nil
	}
	return []string{"metadata.annotations[" + key + "]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"}
}

func warnEndpoints(obj, _ runtime.Object) []string {
	e := obj.(*corev1.Endpoints) //nolint:staticcheck // served for the clients that still use it
	if e.Labels["endpoints.kubernetes.io/managed-by"] == "endpoint-controller" {
		return nil
	}
	var told []string
	for i, subset := range e.Subsets {
		at := field.NewPath("subsets").Index(i)
		for j, a := range subset.Addresses {
			told = append(told, validation.GetWarningsForIP(at.Child("addresses").Index(j).Child("ip"), a.IP)...)
		}
		for j, a := range subset.NotReadyAddresses {
			told = append(told, validation.GetWarningsForIP(at.Child("notReadyAddresses").Index(j).Child("ip"), a.IP)...)
		}
	}
	return told
}

func warnNode(obj, _ runtime.Object) []string {
	n := obj.(*corev1.Node)
	var told []string
	if n.Spec.ConfigSource != nil { //nolint:staticcheck // it is what the warning is about
		told = append(told, "spec.configSource: the feature is removed")
	}
	if n.Spec.DoNotUseExternalID != "" {
		told = append(told, "spec.externalID: this field is deprecated, and is unused by Kubernetes")
	}
	for i, cidr := range n.Spec.PodCIDRs {
		told = append(told, validation.GetWarningsForCIDR(field.NewPath("spec", "podCIDRs").Index(i), cidr)...)
	}
	return told
}

func warnClaim(obj, _ runtime.Object) []string {
	c := obj.(*corev1.PersistentVolumeClaim)
	told := storageAnnotationWarnings(c.Annotations, corev1.BetaStorageClassAnnotation, `v1.8; use "storageClassName" attribute instead`)
	return append(told, claimSpecWarnings(&c.Spec, field.NewPath("spec"))...)
}

func storageAnnotationWarnings(annotations map[string]string, key, since string) []string {
	if _, ok := annotations[key]; !ok {
		return nil
	}
	return []string{fmt.Sprintf("%s: deprecated since %s", field.NewPath("metadata", "annotations").Key(key), since)}
}

func warnVolume(obj, _ runtime.Object) []string {
	v := obj.(*corev1.PersistentVolume)
	told := storageAnnotationWarnings(v.Annotations, corev1.BetaStorageClassAnnotation, `v1.8; use "storageClassName" attribute instead`)
	told = append(told, storageAnnotationWarnings(v.Annotations, corev1.MountOptionAnnotation, `v1.31; use "mountOptions" attribute instead`)...)
	if v.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRecycle {
		told = append(told, "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.")
	}
	if a := v.Spec.NodeAffinity; a != nil && a.Required != nil {
		for i := range a.Required.NodeSelectorTerms {
			told = append(told, nodeTermWarnings(&a.Required.NodeSelectorTerms[i], field.NewPath("spec", "nodeAffinity", "required", "nodeSelectorTerms").Index(i))...)
		}
	}
	for _, old := range []struct {
		used       bool
		name, text string
	}{
		{v.Spec.CephFS != nil, "cephfs", "v1.28, non-functional in v1.31+"},
		{v.Spec.PhotonPersistentDisk != nil, "photonPersistentDisk", "v1.11, non-functional in v1.16+"},
		{v.Spec.ScaleIO != nil, "scaleIO", "v1.16, non-functional in v1.22+"},
		{v.Spec.StorageOS != nil, "storageOS", "v1.22, non-functional in v1.25+"},
		{v.Spec.Glusterfs != nil, "glusterfs", "v1.25, non-functional in v1.26+"},
		{v.Spec.RBD != nil, "rbd", "v1.28, non-functional in v1.31+"},
	} {
		if old.used {
			told = append(told, "spec."+old.name+": deprecated in "+old.text)
		}
	}
	return told
}

func warnService(obj, _ runtime.Object) []string {
	s := obj.(*corev1.Service)
	spec := field.NewPath("spec")
	var told []string
	if _, ok := s.Annotations["service.kubernetes.io/topology-aware-hints"]; ok {
		told = append(told, "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead")
	}
	headless := s.Spec.Type != corev1.ServiceTypeExternalName && s.Spec.ClusterIP == corev1.ClusterIPNone
	external := s.Spec.Type == corev1.ServiceTypeExternalName
	if !headless && !external && s.Spec.ClusterIP != "" {
		for i, ip := range s.Spec.ClusterIPs {
			told = append(told, validation.GetWarningsForIP(spec.Child("clusterIPs").Index(i), ip)...)
		}
	}
	if headless {
		told = append(told, headlessWarnings(s)...)
	}
	for i, ip := range s.Spec.ExternalIPs {
		told = append(told, validation.GetWarningsForIP(spec.Child("externalIPs").Index(i), ip)...)
	}
	if len(s.Spec.ExternalIPs) > 0 && !headless && !external {
		told = append(told, "spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
	if ip := s.Spec.LoadBalancerIP; ip != "" && len(validation.IsValidIPForLegacyField(spec, ip, false, nil)) == 0 { //nolint:staticcheck // still served
		told = append(told, validation.GetWarningsForIP(spec.Child("loadBalancerIP"), ip)...)
	}
	for i, cidr := range s.Spec.LoadBalancerSourceRanges {
		told = append(told, validation.GetWarningsForCIDR(spec.Child("loadBalancerSourceRanges").Index(i), cidr)...)
	}
	if external && len(s.Spec.ExternalIPs) > 0 {
		told = append(told, `spec.externalIPs is ignored when spec.type is "ExternalName"`)
	}
	if !external && s.Spec.ExternalName != "" {
		told = append(told, `spec.externalName is ignored when spec.type is not "ExternalName"`)
	}
	if d := s.Spec.TrafficDistribution; d != nil && *d == corev1.ServiceTrafficDistributionPreferClose {
		told = append(told, `spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`)
	}
	return told
}

func headlessWarnings(s *corev1.Service) []string {
	var told []string
	if s.Spec.LoadBalancerIP != "" { //nolint:staticcheck // still served
		told = append(told, "spec.loadBalancerIP is ignored for headless services")
	}
	if len(s.Spec.ExternalIPs) > 0 {
		told = append(told, "spec.externalIPs is ignored for headless services")
	}
	if s.Spec.SessionAffinity != corev1.ServiceAffinityNone {
		told = append(told, "spec.SessionAffinity is ignored for headless services")
	}
	return told
}
