// Package shop is a small controller with three mistakes that only a fault brings to light, one for each sort of fault,
// and the same controller without them. It is what `kubarium explore` is tested with, and shows people what its
// findings are about.
//
// It keeps for each shop, a ConfigMap with the label example.com/part=shop, a storage and a backup, ConfigMaps as well,
// and an entry in a ledger of all shops. When a shop is deleted, a finalizer lets the controller remove its storage and
// its backup first.
//
// The package speaks HTTP alone and knows no server.
package shop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// The senders of requests, by their User-Agents.
const (
	Keeper   = "shopkeeper/v1" // the controller
	Customer = "customer/v1"   // the person in Play
)

// A Mistake is something that the controller does wrong.
type Mistake string

// The mistakes.
const (
	// Stale trusts its first list, which may show an old state: what a shop in deletion has is deleted by name, even if it
	// is long the property of another shop of that name. Without it the shop is read once more before anything is deleted.
	Stale Mistake = "stale"
	// Unseen writes the ledger by what happens to shops: a shop that comes is entered, one that goes is taken out. One
	// that went and came again unseen stays as it was. Without it the ledger is made of the shops that there are.
	Unseen Mistake = "unseen"
	// Twice gives a backup a random name, and notes it after its creation: if it does not learn that it was created, it
	// makes another. Without it the name is known before.
	Twice Mistake = "twice"
)

// Mistakes are all of them.
var Mistakes = []Mistake{Stale, Unseen, Twice}

// ParseMistakes reads mistakes, separated by commas; "none" is none.
func ParseMistakes(text string) (out []Mistake, err error) {
	if text == "none" {
		return nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(Mistakes, Mistake(word)) {
			return nil, fmt.Errorf("no such mistake: %q; there are stale, unseen and twice, and none", word)
		}
		out = append(out, Mistake(word))
	}
	return out, nil
}

const (
	partLabel   = "example.com/part" // shop, storage, backup
	shopLabel   = "example.com/shop" // of a part: the name of its shop
	finalizer   = "example.com/shopkeeper"
	readyNote   = "example.com/ready"
	backupNote  = "example.com/backup" // the name of a shop's backup
	ledgerName  = "ledger"
	storageName = "-storage"
	backupName  = "-backup"
)

// A keeper is the controller.
type keeper struct {
	namespace string
	maps      typed.ConfigMapInterface
	backups   map[types.UID]string // that were made for shops, by their names
	mistakes  []Mistake
	shops     cache.SharedIndexInformer
	parts     cache.SharedIndexInformer
	queue     workqueue.TypedRateLimitingInterface[string]
}

func (k *keeper) makes(m Mistake) bool { return slices.Contains(k.mistakes, m) }

// Run is the controller, with mistakes, in a namespace until ctx ends.
func Run(ctx context.Context, config *rest.Config, namespace string, mistakes ...Mistake) error {
	config = rest.CopyConfig(config)
	config.UserAgent, config.QPS = Keeper, -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	retries := workqueue.NewTypedItemExponentialFailureRateLimiter[string](50*time.Millisecond, time.Second)
	k := &keeper{
		namespace: namespace, backups: map[types.UID]string{},
		maps: client.CoreV1().ConfigMaps(namespace), mistakes: mistakes,
		queue: workqueue.NewTypedRateLimitingQueue(retries),
	}
	k.shops = k.informer(partLabel + "=shop")
	k.parts = k.informer(partLabel + " in (storage,backup)")
	if err := k.listen(); err != nil {
		return err
	}
	go k.shops.RunWithContext(ctx)
	go k.parts.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), k.shops.HasSynced, k.parts.HasSynced) {
		return context.Cause(ctx)
	}
	context.AfterFunc(ctx, k.queue.ShutDown)
	for k.work(ctx) {
	}
	return nil
}

// informer follows ConfigMaps by a selector. As with most controllers, its first list is one that any server may
// answer, however far it lags behind.
func (k *keeper) informer(selector string) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(listed{&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = selector
			return k.maps.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = selector
			return k.maps.Watch(ctx, o)
		},
	}}, &corev1.ConfigMap{}, 0, nil)
}

// A listed lets an informer begin with a list, where a newer client-go would begin with a watch that no server may
// answer late.
type listed struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported is what client-go asks.
func (listed) IsWatchListSemanticsUnSupported() bool { return true }

// listen puts into the queue what there is to do.
func (k *keeper) listen() error {
	_, first := k.shops.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { k.happened("came", named(o)) },
		UpdateFunc: func(_, o any) { k.happened("changed", named(o)) },
		DeleteFunc: func(o any) { k.happened("went", named(o)) },
	})
	part := func(o any) { k.queue.Add("shop/" + named(o).Labels[shopLabel]) }
	_, second := k.parts.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: part, UpdateFunc: func(_, o any) { part(o) }, DeleteFunc: part,
	})
	return errors.Join(first, second)
}

// named is the object of an event.
func named(o any) *corev1.ConfigMap {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	return o.(*corev1.ConfigMap)
}

// happened asks for what an event of a shop needs.
func (k *keeper) happened(what string, s *corev1.ConfigMap) {
	k.queue.Add("shop/" + s.Name)
	switch {
	case !k.makes(Unseen):
		k.queue.Add("ledger/")
	case what == "came":
		k.queue.Add("enter/" + s.Name + "/" + s.Data["plan"])
	case what == "went":
		k.queue.Add("strike/" + s.Name)
	}
}

// work does one thing, again later if it fails. It returns false when the queue is closed.
func (k *keeper) work(ctx context.Context) bool {
	key, closed := k.queue.Get()
	if closed {
		return false
	}
	defer k.queue.Done(key)
	if err := k.do(ctx, key); err != nil {
		k.queue.AddRateLimited(key)
		return true
	}
	k.queue.Forget(key)
	return true
}

func (k *keeper) do(ctx context.Context, key string) error {
	what, name, _ := strings.Cut(key, "/")
	switch what {
	case "shop":
		return k.keep(ctx, name)
	case "ledger":
		return k.writeLedger(ctx)
	case "enter":
		name, plan, _ := strings.Cut(name, "/")
		return k.ledger(ctx, func(data map[string]string) { data[name] = plan })
	default:
		return k.ledger(ctx, func(data map[string]string) { delete(data, name) })
	}
}

// keep makes of a shop what it should be.
func (k *keeper) keep(ctx context.Context, name string) error {
	stored, exists, err := k.shops.GetStore().GetByKey(k.namespace + "/" + name)
	if err != nil || !exists {
		return err
	}
	s := stored.(*corev1.ConfigMap).DeepCopy()
	if s.DeletionTimestamp != nil {
		return k.close(ctx, s)
	}
	return k.open(ctx, s)
}

// open gives a shop what belongs to it, and says that it is ready.
func (k *keeper) open(ctx context.Context, s *corev1.ConfigMap) error {
	if !slices.Contains(s.Finalizers, finalizer) {
		s.Finalizers = append(s.Finalizers, finalizer)
		_, err := k.maps.Update(ctx, s, metav1.UpdateOptions{}) // its event comes
		return err
	}
	if err := k.create(ctx, part(s, "storage", s.Name+storageName)); err != nil {
		return err
	}
	if s.Annotations[backupNote] != "" {
		return nil
	}
	backup, err := k.backup(ctx, s)
	if err != nil {
		return err
	}
	if s.Annotations == nil {
		s.Annotations = map[string]string{}
	}
	s.Annotations[backupNote], s.Annotations[readyNote] = backup, "true"
	_, err = k.maps.Update(ctx, s, metav1.UpdateOptions{})
	return err
}

// backup makes the backup of a shop, and returns its name.
func (k *keeper) backup(ctx context.Context, s *corev1.ConfigMap) (name string, err error) {
	name = s.Name + backupName
	if !k.makes(Twice) {
		return name, k.create(ctx, part(s, "backup", name))
	}
	if made := k.backups[s.UID]; made != "" {
		return made, nil
	}
	p := part(s, "backup", "")
	p.GenerateName = name + "-"
	if p, err = k.maps.Create(ctx, p, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	k.backups[s.UID] = p.Name
	return p.Name, nil
}

// create creates what the informer does not know, if it is not there.
func (k *keeper) create(ctx context.Context, c *corev1.ConfigMap) error {
	for _, one := range k.parts.GetStore().List() {
		if one.(*corev1.ConfigMap).Name == c.Name {
			return nil
		}
	}
	_, err := k.maps.Create(ctx, c, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func part(s *corev1.ConfigMap, what, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{partLabel: what, shopLabel: s.Name},
	}}
}

// close removes what belongs to a shop in deletion, and lets it go.
func (k *keeper) close(ctx context.Context, s *corev1.ConfigMap) error {
	if !slices.Contains(s.Finalizers, finalizer) {
		return nil
	}
	if !k.makes(Stale) {
		now, err := k.maps.Get(ctx, s.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && now.UID != s.UID {
			return nil // it has gone already
		}
		if err != nil {
			return err
		}
		s = now
	}
	for _, name := range []string{s.Name + storageName, s.Annotations[backupNote]} {
		if name == "" {
			continue
		}
		if err := k.maps.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	s.Finalizers = slices.DeleteFunc(s.Finalizers, func(f string) bool { return f == finalizer })
	_, err := k.maps.Update(ctx, s, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
