package bootstrap

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/ptr"
)

const (
	identityLabel = "apiserver.kubernetes.io/identity" // of the Leases of API servers
	identityValid = time.Hour                          // how long such a Lease is valid, as in kube-apiserver
)

// identity keeps the Lease of this API server, and removes those of servers that do not run: of a copied database's,
// for instance. kube-apiserver renews its Lease every ten seconds. Here it is renewed when half of its time is over, so
// that an idle server, and one that starts again, writes nothing.
func (b *Bootstrap) identity() *task {
	holder := string(uuid.NewUUID())
	return &task{
		name:  "the identity Lease",
		kinds: []schema.GroupVersionResource{coordinationv1.SchemeGroupVersion.WithResource("leases")},
		every: identityValid / 4,
		ensure: func(ctx context.Context) error {
			hostname, err := os.Hostname()
			if err != nil {
				return err
			}
			list, err := b.api.CoordinationV1().Leases(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: identityLabel + "=" + manager})
			if err != nil {
				return err
			}
			if err := b.removeExpired(ctx, list.Items, serverID(hostname)); err != nil {
				return err
			}
			return b.renew(ctx, list.Items, b.lease(hostname, holder))
		},
	}
}

// removeExpired removes the expired Leases of other servers.
func (b *Bootstrap) removeExpired(ctx context.Context, leases []coordinationv1.Lease, own string) error {
	return each(ctx, leases, func(ctx context.Context, l coordinationv1.Lease) error {
		if l.Name == own || validFor(&l) > 0 {
			return nil
		}
		return ignore(b.api.CoordinationV1().Leases(l.Namespace).Delete(ctx, l.Name, metav1.DeleteOptions{}), apierrors.IsNotFound)
	})
}

// renew creates the Lease, or renews it if it differs or expires soon.
func (b *Bootstrap) renew(ctx context.Context, leases []coordinationv1.Lease, want *coordinationv1.Lease) error {
	api := b.api.CoordinationV1().Leases(metav1.NamespaceSystem)
	i := slices.IndexFunc(leases, func(l coordinationv1.Lease) bool { return l.Name == want.Name })
	if i < 0 {
		_, err := api.Create(ctx, want, metav1.CreateOptions{})
		return err
	}
	l := leases[i]
	if validFor(&l) > identityValid/2 && holds(l.Labels, want.Labels) && holds(l.Annotations, want.Annotations) {
		return nil
	}
	l.Labels, l.Annotations, l.Spec = with(l.Labels, want.Labels), with(l.Annotations, want.Annotations), want.Spec
	_, err := api.Update(ctx, &l, metav1.UpdateOptions{})
	return err
}

// lease is the Lease of the API server on a host.
func (b *Bootstrap) lease(hostname, holder string) *coordinationv1.Lease {
	l := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Name:   serverID(hostname),
			Labels: map[string]string{identityLabel: manager, corev1.LabelHostname: hostname},
		},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity:       ptr.To(serverID(hostname) + "_" + holder),
			LeaseDurationSeconds: ptr.To(int32(identityValid / time.Second)),
			RenewTime:            &metav1.MicroTime{Time: time.Now()},
		},
	}
	if ip, port := b.advertised(); ip != nil {
		l.Annotations = map[string]string{corev1.AnnotationPeerAdvertiseAddress: hostPort(ip, port)}
	}
	return l
}

// serverID is kube-apiserver's identity on a host: a hash of the host's name and of its own, each after its length.
func serverID(hostname string) string {
	var text []byte
	for _, s := range []string{hostname, manager} {
		text = append(binary.BigEndian.AppendUint16(text, uint16(len(s))), s...)
	}
	sum := sha256.Sum256(text)
	return "apiserver-" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// validFor is how long a Lease is still valid.
func validFor(l *coordinationv1.Lease) time.Duration {
	if l.Spec.RenewTime == nil || l.Spec.LeaseDurationSeconds == nil {
		return 0
	}
	return time.Until(l.Spec.RenewTime.Add(time.Duration(*l.Spec.LeaseDurationSeconds) * time.Second))
}

// holds reports whether m has all of want.
func holds(m, want map[string]string) bool {
	for k, v := range want {
		if m[k] != v {
			return false
		}
	}
	return true
}

// with adds all of more to m.
func with(m, more map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, m)
	maps.Copy(all, more)
	return all
}
