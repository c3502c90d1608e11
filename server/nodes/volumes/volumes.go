// Package volumes provides simulated PersistentVolumes: an HTTP client of the server that does what an external provisioner
// does. It makes a volume for a claim that the scheduler has given a node, and deletes it once it is released. No data is kept.
package volumes

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"kubarium/server/loopback"
	"kubarium/server/nodes/script"
)

const (
	// Provisioner is the name by which a StorageClass asks for simulated volumes.
	Provisioner = script.Prefix + "volume"
	// Class is the StorageClass that is made where there is none of this name.
	Class = "standard"

	defaultClass = "storageclass.kubernetes.io/is-default-class"
	selectedNode = "volume.kubernetes.io/selected-node"
	provisioned  = "pv.kubernetes.io/provisioned-by"

	manager = "simulated-volumes"
)

// A provisioner makes and deletes volumes. Its queue has claims, as NAMESPACE/NAME, and volumes, as NAME.
type provisioner struct {
	api     kubernetes.Interface
	log     *slog.Logger
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	classes storagelisters.StorageClassLister
	queue   workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

// Run makes the StorageClass, the default one if there is no other, and provides volumes until ctx ends.
func Run(ctx context.Context, server loopback.Server, log *slog.Logger) {
	dialer := loopback.To(server)
	defer dialer.Close()
	p := &provisioner{api: dialer.As(manager, manager).Kubernetes(), log: log}
	if err := p.makeClass(ctx); err != nil && ctx.Err() == nil {
		log.Error("make the StorageClass of simulated volumes", "error", err)
	}
	factory := informers.NewSharedInformerFactory(p.api, 0)
	core := factory.Core().V1()
	p.claims, p.volumes, p.classes = core.PersistentVolumeClaims().Lister(), core.PersistentVolumes().Lister(), factory.Storage().V1().StorageClasses().Lister()
	p.queue = workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](100*time.Millisecond, 10*time.Second))
	defer context.AfterFunc(ctx, p.queue.ShutDown)()
	enqueue := func(o any) {
		if key, err := cache.ObjectToName(o); err == nil {
			p.queue.Add(key)
		}
	}
	changed := cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, o any) { enqueue(o) }}
	for _, i := range []cache.SharedIndexInformer{core.PersistentVolumeClaims().Informer(), core.PersistentVolumes().Informer()} {
		_, _ = i.AddEventHandler(changed)
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	factory.WaitForCacheSync(ctx.Done())
	for {
		key, down := p.queue.Get()
		if down {
			return
		}
		if err := p.sync(ctx, key); err != nil && ctx.Err() == nil {
			log.Warn("a simulated volume", "of", key, "error", err)
			p.queue.AddRateLimited(key)
		} else {
			p.queue.Forget(key)
		}
		p.queue.Done(key)
	}
}

// makeClass makes the StorageClass, unless there is one of this name. It is the default if no other is.
func (p *provisioner) makeClass(ctx context.Context) error {
	others, err := p.api.StorageV1().StorageClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	wait, drop := storagev1.VolumeBindingWaitForFirstConsumer, corev1.PersistentVolumeReclaimDelete
	class := &storagev1.StorageClass{
		ObjectMeta:  metav1.ObjectMeta{Name: Class, Annotations: map[string]string{script.Mark: "true", defaultClass: "true"}},
		Provisioner: Provisioner, VolumeBindingMode: &wait, ReclaimPolicy: &drop,
	}
	for i := range others.Items {
		if others.Items[i].Annotations[defaultClass] == "true" {
			delete(class.Annotations, defaultClass)
		}
	}
	_, err = p.api.StorageV1().StorageClasses().Create(ctx, class, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// Remove deletes the StorageClass that Run has made, unless there are volumes of this provisioner.
func Remove(ctx context.Context, api kubernetes.Interface) error {
	class, err := api.StorageV1().StorageClasses().Get(ctx, Class, metav1.GetOptions{})
	if err != nil || !script.IsSimulated(class) {
		return ignoreNotFound(err)
	}
	all, err := api.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range all.Items {
		if all.Items[i].Annotations[provisioned] == Provisioner {
			return nil
		}
	}
	return ignoreNotFound(api.StorageV1().StorageClasses().Delete(ctx, Class, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &class.UID}}))
}

// sync makes the volume of a claim, or deletes a volume, where its time has come.
func (p *provisioner) sync(ctx context.Context, key cache.ObjectName) error {
	if key.Namespace == "" {
		volume, err := p.volumes.Get(key.Name)
		if err != nil || volume.Annotations[provisioned] != Provisioner || volume.Status.Phase != corev1.VolumeReleased ||
			volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete || volume.DeletionTimestamp != nil {
			return ignoreNotFound(err)
		}
		return ignoreNotFound(p.api.CoreV1().PersistentVolumes().Delete(ctx, key.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &volume.UID}}))
	}
	claim, err := p.claims.PersistentVolumeClaims(key.Namespace).Get(key.Name)
	if err != nil || claim.Spec.VolumeName != "" || claim.Spec.StorageClassName == nil || claim.DeletionTimestamp != nil {
		return ignoreNotFound(err)
	}
	class, err := p.classes.Get(*claim.Spec.StorageClassName)
	if err != nil || class.Provisioner != Provisioner {
		return ignoreNotFound(err)
	}
	node := claim.Annotations[selectedNode]
	if m := class.VolumeBindingMode; node == "" && m != nil && *m == storagev1.VolumeBindingWaitForFirstConsumer {
		return nil // for a Pod
	}
	_, err = p.api.CoreV1().PersistentVolumes().Create(ctx, volumeOf(claim, class, node), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) { // made before; the binder has not bound it yet
		return nil
	}
	return err
}

// volumeOf is the volume of a claim, on a node unless that is "".
func volumeOf(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, node string) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{
		Name:        fmt.Sprintf("pvc-%s", claim.UID), // so that a claim has one at most
		Annotations: map[string]string{provisioned: Provisioner, script.Mark: "true"},
	}}
	v.Spec = corev1.PersistentVolumeSpec{
		Capacity:    corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
		AccessModes: claim.Spec.AccessModes, VolumeMode: claim.Spec.VolumeMode, StorageClassName: class.Name, MountOptions: class.MountOptions,
		PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
		ClaimRef: &corev1.ObjectReference{
			APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID, ResourceVersion: claim.ResourceVersion,
		},
		PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/simulated/" + claim.Namespace + "/" + claim.Name}},
	}
	if r := class.ReclaimPolicy; r != nil {
		v.Spec.PersistentVolumeReclaimPolicy = *r
	}
	if node != "" {
		on := corev1.NodeSelectorRequirement{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{on}}},
		}}
	}
	return v
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
