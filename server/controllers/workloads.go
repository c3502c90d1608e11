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
	"k8s.io/kubernetes/pkg/controller/volume/vacprotection"
)

// KubeScheduler is the name of the scheduler among the controllers.
const KubeScheduler = "kube-scheduler"

// workers is how many objects a controller takes on at the same time, as in kube-controller-manager's defaults.
const workers = 5

// A making has what an official controller is made with.
type making struct {
	ctx   context.Context
	api   kubernetes.Interface // by which it asks the server
	host  host
	*view // from which it reads
}

// A loop runs a controller until its context ends.
type loop = func(context.Context)

// A maker makes an official controller.
type maker func(m making) (loop, error)

// workloads are the official controllers by which Pods come about, run and go, with kube-controller-manager's own settings.
var workloads = []struct {
	name  string
	alias string // the name that it had before
	make  maker
}{
	{names.DeploymentController, "deployment", func(m making) (loop, error) {
		c, err := deployment.NewDeploymentController(m.ctx, m.apps().Deployments(), m.apps().ReplicaSets(), m.core().Pods(), m.api)
		return withWorkers(c, err)
	}},
	{names.ReplicaSetController, "replicaset", func(m making) (loop, error) {
		return withWorkers(replicaset.NewReplicaSetController(m.ctx, m.apps().ReplicaSets(), m.core().Pods(), m.api, replicaset.BurstReplicas), nil)
	}},
	{names.ReplicationControllerController, "replicationcontroller", func(m making) (loop, error) {
		return withWorkers(replication.NewReplicationManager(m.ctx, m.core().Pods(), m.core().ReplicationControllers(), m.api, replication.BurstReplicas), nil)
	}},
	{names.StatefulSetController, "statefulset", func(m making) (loop, error) {
		return withWorkers(statefulset.NewStatefulSetController(m.ctx, m.core().Pods(), m.apps().StatefulSets(), m.core().PersistentVolumeClaims(), m.apps().ControllerRevisions(), m.api), nil)
	}},
	{names.DaemonSetController, "daemonset", func(m making) (loop, error) {
		c, err := daemon.NewDaemonSetsController(m.ctx, m.apps().DaemonSets(), m.apps().ControllerRevisions(), m.core().Pods(), m.core().Nodes(), m.api, flowcontrol.NewBackOff(time.Second, 15*time.Minute))
		return withWorkers(c, err)
	}},
	{names.JobController, "job", func(m making) (loop, error) {
		c, err := job.NewController(m.ctx, m.api, m.core().Pods(), m.batch().Jobs(), nil, nil)
		return withWorkers(c, err)
	}},
	{names.CronJobController, "cronjob", func(m making) (loop, error) {
		c, err := cronjob.NewControllerV2(m.ctx, m.batch().Jobs(), m.batch().CronJobs(), m.api)
		return withWorkers(c, err)
	}},
	{names.EndpointsController, "endpoint", func(m making) (loop, error) {
		return withWorkers(endpoint.NewEndpointController(m.ctx, m.core().Pods(), m.core().Services(), m.core().Endpoints(), m.api, 0), nil)
	}},
	{names.EndpointSliceController, "endpointslice", func(m making) (loop, error) {
		const most = 100 // endpoints of a slice
		return withWorkers(endpointslice.NewController(m.ctx, m.core().Pods(), m.core().Services(), m.core().Nodes(), m.slices().EndpointSlices(), most, m.api, 0), nil)
	}},
	{names.EndpointSliceMirroringController, "endpointslicemirroring", func(m making) (loop, error) {
		const most = 1000 // endpoints of a subset
		return withWorkers(endpointslicemirroring.NewController(m.ctx, m.core().Endpoints(), m.slices().EndpointSlices(), m.core().Services(), most, m.api, 0), nil)
	}},
	{names.DisruptionController, "disruption", func(m making) (loop, error) {
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(m.api.Discovery()))
		config := *m.host.client.Config
		config.Transport = m.host.client.HTTP.Transport
		scales, err := scale.NewForConfig(&config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(m.api.Discovery()))
		if err != nil {
			return nil, err
		}
		return withWorkers(disruption.NewDisruptionController(m.ctx, m.core().Pods(), m.policy().PodDisruptionBudgets(), m.core().ReplicationControllers(), m.apps().ReplicaSets(),
			m.apps().Deployments(), m.apps().StatefulSets(), m.api, mapper, scales, m.api.Discovery()), nil)
	}},
	{names.TTLAfterFinishedController, "ttl-after-finished", func(m making) (loop, error) {
		return withWorkers(ttlafterfinished.New(m.ctx, m.batch().Jobs(), m.api), nil)
	}},
	{names.EphemeralVolumeController, "ephemeral-volume", func(m making) (loop, error) {
		c, err := ephemeral.NewController(m.ctx, m.api, m.core().Pods(), m.core().PersistentVolumeClaims())
		return withWorkers(c, err)
	}},
	{names.PersistentVolumeClaimProtectionController, "pvc-protection", func(m making) (loop, error) {
		c, err := pvcprotection.NewPVCProtectionController(klog.FromContext(m.ctx), m.core().PersistentVolumeClaims(), m.core().Pods(), m.api)
		return withWorkers(c, err)
	}},
	{names.PersistentVolumeProtectionController, "pv-protection", func(m making) (loop, error) {
		c, err := pvprotection.NewPVProtectionController(klog.FromContext(m.ctx), m.core().PersistentVolumes(), m.api)
		return withWorkers(c, err)
	}},
	{names.VolumeAttributesClassProtectionController, "", func(m making) (loop, error) {
		c, err := vacprotection.NewVACProtectionController(klog.FromContext(m.ctx), m.api, m.core().PersistentVolumeClaims(), m.core().PersistentVolumes(), m.storage().VolumeAttributesClasses())
		return withWorkers(c, err)
	}},
	{names.PersistentVolumeBinderController, "persistentvolume-binder", func(m making) (loop, error) {
		// Without volume plugins: what makes and deletes volumes is another program, as with CSI drivers.
		c, err := persistentvolume.NewController(m.ctx, persistentvolume.ControllerParameters{
			KubeClient: m.api, SyncPeriod: 15 * time.Second, VolumeInformer: m.core().PersistentVolumes(), ClaimInformer: m.core().PersistentVolumeClaims(),
			ClassInformer: m.storage().StorageClasses(), PodInformer: m.core().Pods(), NodeInformer: m.core().Nodes(), EnableDynamicProvisioning: true,
		})
		if err != nil {
			return nil, err
		}
		return c.Run, nil
	}},
	{names.TaintEvictionController, "", func(m making) (loop, error) {
		c, err := tainteviction.New(m.ctx, m.api, m.core().Pods(), m.core().Nodes(), m.host.name)
		if err != nil {
			return nil, err
		}
		return c.Run, nil
	}},
	{names.NodeLifecycleController, "nodelifecycle", func(m making) (loop, error) {
		c, err := nodelifecycle.NewNodeLifecycleController(m.ctx, m.leases().Leases(), m.core().Pods(), m.core().Nodes(), m.apps().DaemonSets(), m.api,
			5*time.Second, time.Minute, 50*time.Second, 0.1, 0.01, 50, 0.55)
		if err != nil {
			return nil, err
		}
		return c.Run, nil
	}},
}

// withWorkers runs a controller of the usual form.
func withWorkers(c interface{ Run(context.Context, int) }, err error) (loop, error) {
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
		run, err := make(making{ctx, h.api(), h, v})
		if err != nil {
			h.log.Error("start a controller", "name", h.name, "error", err)
			return
		}
		v.complete()
		h.shared.start()
		run(ctx)
	}
}
