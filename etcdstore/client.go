package etcdstore

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A client asks members that know the leader. Others refuse at once what they would else hold until it is given up,
// and it goes to the next one: what was refused so has not happened.
type client struct{ *clientv3.Client }

// ledBy makes a member refuse what it is asked while it knows no leader, and end a watch when it has lost it: it no
// longer learns then what happens. A watch and what is asked about it must both be asked so, to be on one stream.
func ledBy(ctx context.Context) context.Context { return clientv3.WithRequireLeader(ctx) }

// leaderless is how long a request waits for a leader: as long as etcd lets one wait that it has begun, 5 s and two
// elections.
const leaderless = 7 * time.Second

// led tries until a member knows the leader.
func led(ctx context.Context, try func() error) error {
	for end := time.Now().Add(leaderless); ; {
		err := try()
		if !errors.Is(err, rpctypes.ErrNoLeader) || time.Now().After(end) {
			return err
		}
		select {
		case <-time.After(watchAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tooLarge reports whether an error is that of a request which etcd does not take, or the client does not send, since
// it is too large. An EtcdError of the same code is another one: that there is no space.
func tooLarge(err error) bool {
	return errors.Is(err, rpctypes.ErrRequestTooLarge) || status.Code(err) == codes.ResourceExhausted && !errors.As(err, new(rpctypes.EtcdError))
}

// Get is clientv3.KV's.
func (c client) Get(ctx context.Context, key string, how ...clientv3.OpOption) (got *clientv3.GetResponse, err error) {
	err = led(ctx, func() error {
		got, err = c.Client.Get(ledBy(ctx), key, how...)
		return err
	})
	return got, err
}

// firstTry is how long a small read may take before it is tried again, at the next member; further tries get twice
// the time each.
const firstTry = 2 * time.Second

// getSoon is Get for what takes no time to read. A member that has lost the others and has not noticed yet holds what
// it is asked.
func (c client) getSoon(ctx context.Context, key string, how ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	for patience := firstTry; ; patience *= 2 {
		try, cancel := context.WithTimeout(ctx, patience)
		got, err := c.Get(try, key, how...)
		tired := try.Err() != nil
		cancel()
		if err == nil || !tired || ctx.Err() != nil {
			return got, err
		}
	}
}

// Txn is clientv3.KV's.
func (c client) Txn(ctx context.Context) clientv3.Txn { return txn{c.Client.Txn(ledBy(ctx)), ctx} }

type txn struct {
	clientv3.Txn
	ctx context.Context
}

func (t txn) If(cs ...clientv3.Cmp) clientv3.Txn   { return txn{t.Txn.If(cs...), t.ctx} }
func (t txn) Then(ops ...clientv3.Op) clientv3.Txn { return txn{t.Txn.Then(ops...), t.ctx} }
func (t txn) Else(ops ...clientv3.Op) clientv3.Txn { return txn{t.Txn.Else(ops...), t.ctx} }

// Commit tries again what no member has begun, and nothing else: after any other error the transaction may have
// happened.
func (t txn) Commit() (done *clientv3.TxnResponse, err error) {
	err = led(t.ctx, func() error {
		done, err = t.Txn.Commit()
		return err
	})
	return done, err
}

// watchAgain is how long a watch rests that has ended for a reason that may pass, as that its member knows no leader:
// the next may be another member's.
const watchAgain = 100 * time.Millisecond
