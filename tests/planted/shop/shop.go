// Package shop is a small controller with six mistakes that only a fault brings to light, one for each sort of fault, and
// the same controller without them. It is what `kubarium explore` is tested with, and shows people what its findings are
// about.
//
// It keeps for each shop, a ConfigMap with the label example.com/part=shop, a storage and a backup, ConfigMaps as well,
// and an entry in a ledger of all shops. When a shop is deleted, a finalizer lets the controller remove its storage and
// its backup first. Each plan that shops have gets a clerk, a ServiceAccount that stays. Customers are ConfigMaps with the
// label example.com/part=customer, without a finalizer; they are entered in the list of members.
//
// The package speaks HTTP alone and knows no server.
package shop

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

const (
	partLabel   = "example.com/part" // shop, storage, backup, customer
	shopLabel   = "example.com/shop" // of a part: the name of its shop
	finalizer   = "example.com/shopkeeper"
	readyNote   = "example.com/ready"
	backupNote  = "example.com/backup" // the name of a shop's backup
	storageName = "-storage"
	backupName  = "-backup"
)

// A keeper is the controller.
type keeper struct {
	namespace string
	maps      typed.ConfigMapInterface
	accounts  typed.ServiceAccountInterface
	backups   map[types.UID]string // that were made for shops, by their names
	closed    map[types.UID]bool   // shops that were let go, whose last event may not have come
	mistakes  []Mistake
	shops     cache.SharedIndexInformer
	parts     cache.SharedIndexInformer
	clerks    cache.SharedIndexInformer
	customers cache.SharedIndexInformer
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
		namespace: namespace, mistakes: mistakes,
		backups: map[types.UID]string{}, closed: map[types.UID]bool{},
		maps: client.CoreV1().ConfigMaps(namespace), accounts: client.CoreV1().ServiceAccounts(namespace),
		queue: workqueue.NewTypedRateLimitingQueue(retries),
	}
	k.follow(client.CoreV1().RESTClient())
	if err := k.listen(); err != nil {
		return err
	}
	for _, i := range []cache.SharedIndexInformer{k.shops, k.parts, k.clerks, k.customers} {
		go i.RunWithContext(ctx)
	}
	if !cache.WaitForCacheSync(ctx.Done(), k.shops.HasSynced, k.parts.HasSynced, k.clerks.HasSynced, k.customers.HasSynced) {
		return context.Cause(ctx)
	}
	k.queue.Add("members/") // no event says what went before it started
	if !k.makes(Unseen) {
		k.queue.Add("ledger/")
	}
	context.AfterFunc(ctx, k.queue.ShutDown)
	for k.work(ctx) {
	}
	return nil
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
	case "clerk":
		return k.hire(ctx, name)
	case "ledger":
		return k.writeLedger(ctx)
	case "enter":
		name, plan, _ := strings.Cut(name, "/")
		return k.book(ctx, ledgerName, func(data map[string]string) { data[name] = plan })
	case "strike":
		return k.book(ctx, ledgerName, func(data map[string]string) { delete(data, name) })
	case "members":
		return k.writeMembers(ctx)
	default:
		return k.book(ctx, membersName, func(data map[string]string) { delete(data, name) })
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
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{partLabel: what, shopLabel: s.Name}},
		Data:       map[string]string{"plan": s.Data["plan"]},
	}
}

// close removes what belongs to a shop in deletion, and lets it go.
func (k *keeper) close(ctx context.Context, s *corev1.ConfigMap) error {
	if !slices.Contains(s.Finalizers, finalizer) || k.closed[s.UID] {
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
			if !k.makes(Refused) {
				return err
			}
			slog.Error("a part of a closed shop stays", "name", name, "error", err)
		}
	}
	s.Finalizers = slices.DeleteFunc(s.Finalizers, func(f string) bool { return f == finalizer })
	_, err := k.maps.Update(ctx, s, metav1.UpdateOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	k.closed[s.UID] = true
	return nil
}
