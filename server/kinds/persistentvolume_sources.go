package kinds

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateVolumeOrigin checks that a volume comes from one place, and what is said of that place.
func validateVolumeOrigin(s *corev1.PersistentVolumeSource, at *field.Path) field.ErrorList {
	set := namesSet(s)
	if len(set) == 0 {
		return field.ErrorList{field.Required(at, "must specify a volume type")}
	}
	errs := validateOneOrigin(s, at)
	for _, name := range set[1:] {
		errs = append(errs, field.Forbidden(at.Child(name), "may not specify more than 1 volume type"))
	}
	return errs
}

// validateOneOrigin checks the first source that is set.
func validateOneOrigin(s *corev1.PersistentVolumeSource, at *field.Path) field.ErrorList {
	switch {
	case s.HostPath != nil:
		return validateHostPath(s.HostPath, at.Child("hostPath"))
	case s.NFS != nil:
		return validateOneSource(&corev1.Volume{VolumeSource: corev1.VolumeSource{NFS: s.NFS}}, at)
	case s.ISCSI != nil:
		return validateISCSI(s.ISCSI, at.Child("iscsi"))
	case s.FC != nil:
		return validateFibre(s.FC, at.Child("fc"))
	case s.Local != nil:
		errs := required(at.Child("local", "path"), s.Local.Path)
		return append(errs, validateNoBacksteps(s.Local.Path, at.Child("local", "path"))...)
	case s.CSI != nil:
		return validateCSIVolume(s.CSI, at.Child("csi"))
	}
	return validateCloudOrigin(s, at)
}

// validateCloudOrigin checks the sources of which a few names are all there is to say.
func validateCloudOrigin(s *corev1.PersistentVolumeSource, at *field.Path) field.ErrorList {
	switch {
	case s.GCEPersistentDisk != nil:
		at = at.Child("persistentDisk")
		return append(required(at.Child("pdName"), s.GCEPersistentDisk.PDName), validateByte(s.GCEPersistentDisk.Partition, at.Child("partition"))...)
	case s.AWSElasticBlockStore != nil:
		at = at.Child("awsElasticBlockStore")
		return append(required(at.Child("volumeID"), s.AWSElasticBlockStore.VolumeID),
			validateByte(s.AWSElasticBlockStore.Partition, at.Child("partition"))...)
	case s.Glusterfs != nil:
		at = at.Child("glusterfs")
		return append(required(at.Child("endpoints"), s.Glusterfs.EndpointsName), required(at.Child("path"), s.Glusterfs.Path)...)
	case s.RBD != nil:
		at = at.Child("rbd")
		return append(requiredList(at.Child("monitors"), s.RBD.CephMonitors), required(at.Child("image"), s.RBD.RBDImage)...)
	case s.CephFS != nil:
		return requiredList(at.Child("cephfs", "monitors"), s.CephFS.Monitors)
	case s.Cinder != nil:
		return append(required(at.Child("cinder", "volumeID"), s.Cinder.VolumeID),
			validateSecretOf(s.Cinder.SecretRef, at.Child("cinder", "secretRef"))...)
	case s.FlexVolume != nil:
		return required(at.Child("flexVolume", "driver"), s.FlexVolume.Driver)
	case s.AzureFile != nil:
		at = at.Child("azureFile")
		return append(required(at.Child("secretName"), s.AzureFile.SecretName), required(at.Child("shareName"), s.AzureFile.ShareName)...)
	case s.AzureDisk != nil:
		return validateAzureDisk(s.AzureDisk, at.Child("azureDisk"))
	case s.VsphereVolume != nil:
		return required(at.Child("vsphereVolume", "volumePath"), s.VsphereVolume.VolumePath)
	case s.PhotonPersistentDisk != nil:
		return required(at.Child("photonPersistentDisk", "pdID"), s.PhotonPersistentDisk.PdID)
	case s.PortworxVolume != nil:
		return required(at.Child("portworxVolume", "volumeID"), s.PortworxVolume.VolumeID)
	case s.ScaleIO != nil:
		at = at.Child("scaleIO")
		errs := append(required(at.Child("gateway"), s.ScaleIO.Gateway), required(at.Child("system"), s.ScaleIO.System)...)
		return append(errs, required(at.Child("volumeName"), s.ScaleIO.VolumeName)...)
	}
	return validateOldOrigin(s, at)
}

// validateOldOrigin checks the sources of storage systems that Kubernetes no longer mounts.
func validateOldOrigin(s *corev1.PersistentVolumeSource, at *field.Path) field.ErrorList {
	switch {
	case s.Flocker != nil:
		at = at.Child("flocker")
		switch name, id := s.Flocker.DatasetName, s.Flocker.DatasetUUID; {
		case name == "" && id == "":
			return field.ErrorList{field.Required(at, "one of datasetName and datasetUUID is required")}
		case name != "" && id != "":
			return field.ErrorList{field.Invalid(at, "resource", "datasetName and datasetUUID can not be specified simultaneously")}
		case strings.Contains(name, "/"):
			return field.ErrorList{field.Invalid(at.Child("datasetName"), name, "must not contain '/'")}
		}
	case s.Quobyte != nil:
		at = at.Child("quobyte")
		if s.Quobyte.Registry == "" {
			return field.ErrorList{field.Required(at.Child("registry"), "must be a host:port pair or multiple pairs separated by commas")}
		}
		return required(at.Child("volume"), s.Quobyte.Volume)
	case s.StorageOS != nil:
		at = at.Child("storageos")
		if s.StorageOS.VolumeName == "" {
			return field.ErrorList{field.Required(at.Child("volumeName"), "")}
		}
		return named(at.Child("volumeName"), s.StorageOS.VolumeName, validation.IsDNS1123Label(s.StorageOS.VolumeName))
	}
	return nil
}

func requiredList(path *field.Path, list []string) field.ErrorList {
	if len(list) > 0 {
		return nil
	}
	return field.ErrorList{field.Required(path, "")}
}

// validateByte checks a number of a partition or unit.
func validateByte(n int32, path *field.Path) field.ErrorList {
	if n >= 0 && n <= 255 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, n, validation.InclusiveRangeError(0, 255))}
}

// validateSecretOf checks a reference to a secret, which names the namespace too; nil is none.
func validateSecretOf(ref *corev1.SecretReference, path *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	return append(required(path.Child("name"), ref.Name), required(path.Child("namespace"), ref.Namespace)...)
}

func validateISCSI(s *corev1.ISCSIPersistentVolumeSource, path *field.Path) field.ErrorList {
	errs := required(path.Child("targetPortal"), s.TargetPortal)
	switch {
	case s.IQN == "":
		errs = append(errs, field.Required(path.Child("iqn"), ""))
	case !strings.HasPrefix(s.IQN, "iqn") && !strings.HasPrefix(s.IQN, "eui") && !strings.HasPrefix(s.IQN, "naa"):
		errs = append(errs, field.Invalid(path.Child("iqn"), s.IQN, "must be valid format starting with iqn, eui, or naa"))
	}
	errs = append(errs, validateByte(s.Lun, path.Child("lun"))...)
	if (s.DiscoveryCHAPAuth || s.SessionCHAPAuth) && s.SecretRef == nil {
		errs = append(errs, field.Required(path.Child("secretRef"), ""))
	}
	if s.SecretRef != nil {
		errs = append(errs, required(path.Child("secretRef", "name"), s.SecretRef.Name)...)
	}
	return errs
}

func validateFibre(s *corev1.FCVolumeSource, path *field.Path) field.ErrorList {
	wwns := path.Child("targetWWNs")
	switch {
	case len(s.TargetWWNs) == 0 && len(s.WWIDs) == 0:
		return field.ErrorList{field.Required(wwns, "must specify either targetWWNs or wwids, but not both")}
	case len(s.TargetWWNs) > 0 && len(s.WWIDs) > 0:
		return field.ErrorList{field.Invalid(wwns, s.TargetWWNs, "targetWWNs and wwids can not be specified simultaneously")}
	case len(s.TargetWWNs) == 0:
		return nil
	case s.Lun == nil:
		return field.ErrorList{field.Required(path.Child("lun"), "lun is required if targetWWNs is specified")}
	}
	return validateByte(*s.Lun, path.Child("lun"))
}

// mostDriverName is the longest name of a CSI driver, in characters.
const mostDriverName = 63

func validateCSIVolume(s *corev1.CSIPersistentVolumeSource, path *field.Path) field.ErrorList {
	errs := validateDriverName(s.Driver, path.Child("driver"))
	errs = append(errs, required(path.Child("volumeHandle"), s.VolumeHandle)...)
	errs = append(errs, validateDriverSecret(s.ControllerPublishSecretRef, path.Child("controllerPublishSecretRef"))...)
	errs = append(errs, validateDriverSecret(s.ControllerExpandSecretRef, path.Child("controllerExpandSecretRef"))...)
	errs = append(errs, validateDriverSecret(s.NodePublishSecretRef, path.Child("nodePublishSecretRef"))...)
	return append(errs, validateDriverSecret(s.NodeExpandSecretRef, path.Child("nodeExpandSecretRef"))...)
}

// validateDriverSecret checks a reference to a secret for a CSI driver; nil is none. The one for staging a volume is
// checked nowhere.
func validateDriverSecret(ref *corev1.SecretReference, path *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	errs := requiredName(path.Child("name"), ref.Name, validation.IsDNS1123Subdomain)
	return append(errs, requiredName(path.Child("namespace"), ref.Namespace, validation.IsDNS1123Label)...)
}

// validateAzureDisk checks that a disk's address is of the sort that its kind wants.
func validateAzureDisk(s *corev1.AzureDiskVolumeSource, path *field.Path) field.ErrorList {
	errs := append(required(path.Child("diskName"), s.DiskName), required(path.Child("diskURI"), s.DataDiskURI)...)
	if s.CachingMode != nil {
		errs = append(errs, oneOfStrict(path.Child("cachingMode"), *s.CachingMode,
			corev1.AzureDataDiskCachingNone, corev1.AzureDataDiskCachingReadOnly, corev1.AzureDataDiskCachingReadWrite)...)
	}
	if s.Kind == nil {
		return errs
	}
	errs = append(errs, oneOfStrict(path.Child("kind"), *s.Kind, corev1.AzureDedicatedBlobDisk, corev1.AzureManagedDisk, corev1.AzureSharedBlobDisk)...)
	managed := *s.Kind == corev1.AzureManagedDisk
	switch {
	case managed && !strings.HasPrefix(s.DataDiskURI, "/subscriptions/"):
		errs = append(errs, field.NotSupported(path.Child("diskURI"), s.DataDiskURI, []string{
			"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
		}))
	case !managed && !strings.HasPrefix(s.DataDiskURI, "https://"):
		errs = append(errs, field.NotSupported(path.Child("diskURI"), s.DataDiskURI, []string{
			"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
		}))
	}
	return errs
}

// validateDriverName checks the name of a CSI driver, in which capitals do not matter.
func validateDriverName(name string, path *field.Path) field.ErrorList {
	errs := required(path, name)
	if len(name) > mostDriverName {
		errs = append(errs, field.TooLong(path, name, mostDriverName))
	}
	return append(errs, named(path, name, validation.IsDNS1123Subdomain(strings.ToLower(name)))...)
}
