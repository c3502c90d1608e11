// Package example is a small controller and its tests: with envtest on etcd and kube-apiserver, with envtest on Kubarium, and with
// apitest.
package example

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// GroupVersion is that of Greeting.
var GroupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

// A Greeting says whom to greet; the controller says how.
type Greeting struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GreetingSpec   `json:"spec,omitempty"`
	Status            GreetingStatus `json:"status,omitempty"`
}

// A GreetingSpec says whom to greet.
type GreetingSpec struct {
	To string `json:"to,omitempty"`
}

// A GreetingStatus is the greeting.
type GreetingStatus struct {
	Text string `json:"text,omitempty"`
	// Seen is when the controller has looked.
	Seen string `json:"seen,omitempty"`
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

// A Reconciler greets whom each Greeting names.
type Reconciler struct {
	client.Client
	// Restless is the mistake that the tests find: it notes in each status when it has looked. Each note is a change, the
	// change is an event, and the event has it look again.
	Restless bool
}

// Reconcile writes the greeting into the status, unless it is there.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var g Greeting
	if err := r.Get(ctx, req.NamespacedName, &g); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	want := GreetingStatus{Text: "Hello, " + g.Spec.To}
	if r.Restless {
		want.Seen = time.Now().Format(time.RFC3339Nano)
	}
	if g.Status == want {
		return ctrl.Result{}, nil
	}
	g.Status = want
	return ctrl.Result{}, r.Status().Update(ctx, &g)
}

// SetupWithManager has a manager run it.
func (r *Reconciler) SetupWithManager(m ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(m).For(&Greeting{}).Complete(r)
}
