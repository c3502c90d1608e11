package informers

import (
	"k8s.io/client-go/informers/admissionregistration"
	"k8s.io/client-go/informers/apiserverinternal"
	"k8s.io/client-go/informers/apps"
	"k8s.io/client-go/informers/autoscaling"
	"k8s.io/client-go/informers/batch"
	"k8s.io/client-go/informers/certificates"
	"k8s.io/client-go/informers/coordination"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/discovery"
	"k8s.io/client-go/informers/events"
	"k8s.io/client-go/informers/extensions"
	"k8s.io/client-go/informers/flowcontrol"
	"k8s.io/client-go/informers/lifecycle"
	"k8s.io/client-go/informers/networking"
	"k8s.io/client-go/informers/node"
	"k8s.io/client-go/informers/policy"
	"k8s.io/client-go/informers/rbac"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/informers/scheduling"
	"k8s.io/client-go/informers/storage"
	"k8s.io/client-go/informers/storagemigration"
)

// groups are the official ways to name an informer, by group and version, on a factory that is not the official one.
type groups struct{ *Factory }

func (g groups) Admissionregistration() admissionregistration.Interface {
	return admissionregistration.New(g.Factory, "", nil)
}
func (g groups) Internal() apiserverinternal.Interface {
	return apiserverinternal.New(g.Factory, "", nil)
}
func (g groups) Apps() apps.Interface                 { return apps.New(g.Factory, "", nil) }
func (g groups) Autoscaling() autoscaling.Interface   { return autoscaling.New(g.Factory, "", nil) }
func (g groups) Batch() batch.Interface               { return batch.New(g.Factory, "", nil) }
func (g groups) Certificates() certificates.Interface { return certificates.New(g.Factory, "", nil) }
func (g groups) Coordination() coordination.Interface { return coordination.New(g.Factory, "", nil) }
func (g groups) Core() core.Interface                 { return lazyCore{core.New(g.Factory, "", nil), g.Factory} }
func (g groups) Discovery() discovery.Interface       { return discovery.New(g.Factory, "", nil) }
func (g groups) Events() events.Interface             { return events.New(g.Factory, "", nil) }
func (g groups) Extensions() extensions.Interface     { return extensions.New(g.Factory, "", nil) }
func (g groups) Flowcontrol() flowcontrol.Interface   { return flowcontrol.New(g.Factory, "", nil) }
func (g groups) Lifecycle() lifecycle.Interface       { return lifecycle.New(g.Factory, "", nil) }
func (g groups) Networking() networking.Interface     { return networking.New(g.Factory, "", nil) }
func (g groups) Node() node.Interface                 { return node.New(g.Factory, "", nil) }
func (g groups) Policy() policy.Interface             { return policy.New(g.Factory, "", nil) }
func (g groups) Rbac() rbac.Interface                 { return rbac.New(g.Factory, "", nil) }
func (g groups) Resource() resource.Interface         { return resource.New(g.Factory, "", nil) }
func (g groups) Scheduling() scheduling.Interface     { return scheduling.New(g.Factory, "", nil) }
func (g groups) Storage() storage.Interface           { return storage.New(g.Factory, "", nil) }
func (g groups) Storagemigration() storagemigration.Interface {
	return storagemigration.New(g.Factory, "", nil)
}
