package controllers

import (
	"context"
	"time"

	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"
	"k8s.io/kubernetes/pkg/controller/cronjob"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/endpoint"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/endpointslicemirroring"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/replication"
	"k8s.io/kubernetes/pkg/controller/statefulset"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	"k8s.io/kubernetes/pkg/controller/ttlafterfinished"
	"k8s.io/kubernetes/pkg/controller/volume/ephemeral"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/controller/volume/pvprotection"
)

// KubeScheduler is the name of the scheduler among the controllers.
const KubeScheduler = "kube-scheduler"

// workers is how many objects a controller takes on at the same time, as in kube-controller-manager's defaults.
const workers = 5

// A maker makes an official controller, which asks the server by api and reads from v. The returned function runs it until its
// context ends.
type maker func(ctx context.Context, api kubernetes.Interface, h host, v *view) (func(context.Context), error)

// workloads are the official controllers by which Pods come about, run and go, with kube-controller-manager's own settings.
var workloads = []struct {
	name  string
	alias string // the name that it had before
	make  maker
}{
	{names.DeploymentController, "deployment", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		c, err := deployment.NewDeploymentController(ctx, v.apps().Deployments(), v.apps().ReplicaSets(), v.core().Pods(), api)
		return withWorkers(c, err)
	}},
	{names.ReplicaSetController, "replicaset", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		return withWorkers(replicaset.NewReplicaSetController(ctx, v.apps().ReplicaSets(), v.core().Pods(), api, replicaset.BurstReplicas), nil)
	}},
	{names.ReplicationControllerController, "replicationcontroller", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		return withWorkers(replication.NewReplicationManager(ctx, v.core().Pods(), v.core().ReplicationControllers(), api, replication.BurstReplicas), nil)
	}},
	{names.StatefulSetController, "statefulset", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		return withWorkers(statefulset.NewStatefulSetController(ctx, v.core().Pods(), v.apps().StatefulSets(), v.core().PersistentVolumeClaims(), v.apps().ControllerRevisions(), api), nil)
	}},
	{names.DaemonSetController, "daemonset", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		c, err := daemon.NewDaemonSetsController(ctx, v.apps().DaemonSets(), v.apps().ControllerRevisions(), v.core().Pods(), v.core().Nodes(), api, flowcontrol.NewBackOff(time.Second, 15*time.Minute))
		return withWorkers(c, err)
	}},
	{names.JobController, "job", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		c, err := job.NewController(ctx, api, v.core().Pods(), v.batch().Jobs(), nil, nil)
		return withWorkers(c, err)
	}},
	{names.CronJobController, "cronjob", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		c, err := cronjob.NewControllerV2(ctx, v.batch().Jobs(), v.batch().CronJobs(), api)
		return withWorkers(c, err)
	}},
	{names.EndpointsController, "endpoint", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		return withWorkers(endpoint.NewEndpointController(ctx, v.core().Pods(), v.core().Services(), v.core().Endpoints(), api, 0), nil)
	}},
	{names.EndpointSliceController, "endpointslice", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		const most = 100 // endpoints of a slice
		return withWorkers(endpointslice.NewController(ctx, v.core().Pods(), v.core().Services(), v.core().Nodes(), v.slices().EndpointSlices(), most, api, 0), nil)
	}},
	{names.EndpointSliceMirroringController, "endpointslicemirroring", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		const most = 1000 // endpoints of a subset
		return withWorkers(endpointslicemirroring.NewController(ctx, v.core().Endpoints(), v.slices().EndpointSlices(), v.core().Services(), most, api, 0), nil)
	}},
	{names.DisruptionController, "disruption", func(ctx context.Context, api kubernetes.Interface, h host, v *view) (func(context.Context), error) {
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(api.Discovery()))
		config := *h.client.Config
		config.Transport = h.client.HTTP.Transport
		scales, err := scale.NewForConfig(&config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(api.Discovery()))
		if err != nil {
			return nil, err
		}
		return withWorkers(disruption.NewDisruptionController(ctx, v.core().Pods(), v.policy().PodDisruptionBudgets(), v.core().ReplicationControllers(), v.apps().ReplicaSets(),
			v.apps().Deployments(), v.apps().StatefulSets(), api, mapper, scales, api.Discovery()), nil)
	}},
	{names.TTLAfterFinishedController, "ttl-after-finished", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		return withWorkers(ttlafterfinished.New(ctx, v.batch().Jobs(), api), nil)
	}},
	{names.EphemeralVolumeController, "ephemeral-volume", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		c, err := ephemeral.NewController(ctx, api, v.core().Pods(), v.core().PersistentVolumeClaims())
		return withWorkers(c, err)
	}},
	{names.PersistentVolumeClaimProtectionController, "pvc-protection", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		c, err := pvcprotection.NewPVCProtectionController(klog.FromContext(ctx), v.core().PersistentVolumeClaims(), v.core().Pods(), api)
		return withWorkers(c, err)
	}},
	{names.PersistentVolumeProtectionController, "pv-protection", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		c, err := pvprotection.NewPVProtectionController(klog.FromContext(ctx), v.core().PersistentVolumes(), api)
		return withWorkers(c, err)
	}},
	{names.PersistentVolumeBinderController, "persistentvolume-binder", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		// Without volume plugins: what makes and deletes volumes is another program, as with CSI drivers.
		c, err := persistentvolume.NewController(ctx, persistentvolume.ControllerParameters{
			KubeClient: api, SyncPeriod: 15 * time.Second, VolumeInformer: v.core().PersistentVolumes(), ClaimInformer: v.core().PersistentVolumeClaims(),
			ClassInformer: v.storage().StorageClasses(), PodInformer: v.core().Pods(), NodeInformer: v.core().Nodes(), EnableDynamicProvisioning: true,
		})
		if err != nil {
			return nil, err
		}
		return c.Run, nil
	}},
	{names.TaintEvictionController, "", func(ctx context.Context, api kubernetes.Interface, h host, v *view) (func(context.Context), error) {
		c, err := tainteviction.New(ctx, api, v.core().Pods(), v.core().Nodes(), h.name)
		if err != nil {
			return nil, err
		}
		return c.Run, nil
	}},
	{names.NodeLifecycleController, "nodelifecycle", func(ctx context.Context, api kubernetes.Interface, _ host, v *view) (func(context.Context), error) {
		c, err := nodelifecycle.NewNodeLifecycleController(ctx, v.leases().Leases(), v.core().Pods(), v.core().Nodes(), v.apps().DaemonSets(), api,
			5*time.Second, time.Minute, 50*time.Second, 0.1, 0.01, 50, 0.55)
		if err != nil {
			return nil, err
		}
		return c.Run, nil
	}},
}

// withWorkers runs a controller of the usual form.
func withWorkers(c interface{ Run(context.Context, int) }, err error) (func(context.Context), error) {
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}

// official makes a loop of an official controller. Its informers are those of h.shared.
func official(make maker) func(context.Context, host) {
	return func(ctx context.Context, h host) {
		v := h.shared.view()
		defer v.close()
		run, err := make(ctx, h.api(), h, v)
		if err != nil {
			h.log.Error("start a controller", "name", h.name, "error", err)
			return
		}
		h.shared.start()
		run(ctx)
	}
}
