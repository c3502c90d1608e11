// Package example is a small controller and its tests: with envtest on etcd and kube-apiserver, with envtest on
// Kubarium, and with apitest.
package example

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// GroupVersion is the group and version of Greeting.
var GroupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

// A Greeting names whom to greet; the controller writes the greeting.
type Greeting struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GreetingSpec   `json:"spec,omitempty"`
	Status            GreetingStatus `json:"status,omitempty"`
}

// A GreetingSpec names whom to greet.
type GreetingSpec struct {
	To string `json:"to,omitempty"`
}

// A GreetingStatus is the greeting.
type GreetingStatus struct {
	Text string `json:"text,omitempty"`
}

// A GreetingList is a list of Greetings.
type GreetingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Greeting `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (g *Greeting) DeepCopyObject() runtime.Object {
	c := *g
	g.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	return &c
}

// DeepCopyObject implements runtime.Object.
func (l *GreetingList) DeepCopyObject() runtime.Object {
	c := *l
	l.ListMeta.DeepCopyInto(&c.ListMeta)
	c.Items = nil
	for i := range l.Items {
		c.Items = append(c.Items, *l.Items[i].DeepCopyObject().(*Greeting))
	}
	return &c
}

// AddToScheme adds the kinds of this package.
func AddToScheme(s *runtime.Scheme) {
	s.AddKnownTypes(GroupVersion, &Greeting{}, &GreetingList{})
	metav1.AddToGroupVersion(s, GroupVersion)
}

// A Reconciler writes the greeting of each Greeting.
type Reconciler struct {
	client.Client
	// Mistake is the one that the tests find: it writes each status, also one that is there already. The first write is
	// an event, and the event causes a second write.
	Mistake bool
}

// Reconcile writes the greeting into the status, unless it is already there.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var g Greeting
	if err := r.Get(ctx, req.NamespacedName, &g); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	want := GreetingStatus{Text: "Hello, " + g.Spec.To}
	if g.Status == want && !r.Mistake {
		return ctrl.Result{}, nil
	}
	g.Status = want
	return ctrl.Result{}, r.Status().Update(ctx, &g)
}

// SetupWithManager registers the reconciler with a manager.
func (r *Reconciler) SetupWithManager(m ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(m).For(&Greeting{}).Complete(r)
}
