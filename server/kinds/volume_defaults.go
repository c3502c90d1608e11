package kinds

import (
	corev1 "k8s.io/api/core/v1"
)

// defaultVolume makes a volume without any source an empty directory, and fills in the source it has.
func defaultVolume(v *corev1.Volume) {
	if v.VolumeSource == (corev1.VolumeSource{}) {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	switch {
	case v.HostPath != nil:
		orDefault(&v.HostPath.Type, corev1.HostPathUnset)
	case v.Secret != nil:
		orDefault(&v.Secret.DefaultMode, corev1.SecretVolumeSourceDefaultMode)
	case v.ConfigMap != nil:
		orDefault(&v.ConfigMap.DefaultMode, corev1.ConfigMapVolumeSourceDefaultMode)
	case v.DownwardAPI != nil:
		orDefault(&v.DownwardAPI.DefaultMode, corev1.DownwardAPIVolumeSourceDefaultMode)
		defaultDownwardItems(v.DownwardAPI.Items)
	case v.Projected != nil:
		defaultProjected(v.Projected)
	case v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil:
		spec := &v.Ephemeral.VolumeClaimTemplate.Spec
		orDefault(&spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		roundToMilli(spec.Resources.Limits)
		roundToMilli(spec.Resources.Requests)
	case v.Image != nil:
		orValue(&v.Image.PullPolicy, pullPolicy(v.Image.Reference))
	default:
		defaultStorage(v)
	}
}

// defaultStorage fills in the sources that name a storage system.
func defaultStorage(v *corev1.Volume) {
	switch {
	case v.ISCSI != nil:
		orValue(&v.ISCSI.ISCSIInterface, "default")
	case v.RBD != nil:
		orValue(&v.RBD.RBDPool, "rbd")
		orValue(&v.RBD.RadosUser, "admin")
		orValue(&v.RBD.Keyring, "/etc/ceph/keyring")
	case v.AzureDisk != nil:
		orDefault(&v.AzureDisk.CachingMode, corev1.AzureDataDiskCachingReadWrite)
		orDefault(&v.AzureDisk.Kind, corev1.AzureSharedBlobDisk)
		orDefault(&v.AzureDisk.FSType, "ext4")
		orDefault(&v.AzureDisk.ReadOnly, false)
	case v.ScaleIO != nil:
		orValue(&v.ScaleIO.StorageMode, "ThinProvisioned")
		orValue(&v.ScaleIO.FSType, "xfs")
	}
}

func defaultProjected(p *corev1.ProjectedVolumeSource) {
	orDefault(&p.DefaultMode, corev1.ProjectedVolumeSourceDefaultMode)
	for i := range p.Sources {
		if api := p.Sources[i].DownwardAPI; api != nil {
			defaultDownwardItems(api.Items)
		}
		if token := p.Sources[i].ServiceAccountToken; token != nil {
			orDefault(&token.ExpirationSeconds, 60*60)
		}
	}
}

func defaultDownwardItems(items []corev1.DownwardAPIVolumeFile) {
	for i := range items {
		if items[i].FieldRef != nil {
			orValue(&items[i].FieldRef.APIVersion, "v1")
		}
	}
}
