package shop

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// patience is how long a customer waits for the controller.
const patience = 40 * time.Second

// stay is how long a customer is a member: longer than the controller takes to start again.
const stay = time.Second

// Play is what happens to the shops while the controller runs: one opens, closes, opens again with another plan, and is
// given orders; then another one opens, and a customer comes and goes.
func Play(ctx context.Context, config *rest.Config, namespace string) error {
	config = rest.CopyConfig(config)
	config.UserAgent, config.QPS = Customer, -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	c := customer{client.CoreV1().ConfigMaps(namespace)}
	for _, step := range []func(context.Context) error{
		c.opens("corner", "small"), c.closes("corner"), c.opens("corner", "large"), c.orders("corner"),
		c.opens("market", "small"), c.joins("anna"), c.leaves("anna"),
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

type customer struct{ maps typed.ConfigMapInterface }

// opens makes a shop, and waits until it is ready.
func (c customer) opens(name, plan string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.maps.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{partLabel: "shop"}},
			Data:       map[string]string{"plan": plan},
		}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return until(ctx, "the shop "+name+" is not ready", func() (bool, error) {
			s, err := c.maps.Get(ctx, name, metav1.GetOptions{})
			return err == nil && s.Annotations[readyNote] == "true", err
		})
	}
}

// closes deletes a shop, and waits until it is gone.
func (c customer) closes(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := c.maps.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		return until(ctx, "the shop "+name+" does not close", func() (bool, error) {
			_, err := c.maps.Get(ctx, name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return true, nil
			}
			return false, err
		})
	}
}

// orders puts something into a shop's storage.
func (c customer) orders(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		return until(ctx, "the shop "+name+" takes no orders", func() (bool, error) {
			orders := []byte(`{"data":{"orders":"42"}}`)
			_, err := c.maps.Patch(ctx, name+storageName, types.MergePatchType, orders, metav1.PatchOptions{})
			if apierrors.IsNotFound(err) {
				return false, nil
			}
			return err == nil, err
		})
	}
}

// joins makes a customer, and waits until it is a member.
func (c customer) joins(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.maps.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{partLabel: "customer"}},
		}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return until(ctx, name+" is not a member", func() (bool, error) {
			m, err := c.maps.Get(ctx, membersName, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return false, nil
			}
			return err == nil && m.Data[name] != "", err
		})
	}
}

// leaves deletes a customer after a while.
func (c customer) leaves(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(stay):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		return c.maps.Delete(ctx, name, metav1.DeleteOptions{})
	}
}

// until asks again and again until something is so.
func until(ctx context.Context, otherwise string, so func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New(otherwise))
	defer cancel()
	for {
		ok, err := so()
		if err != nil && ctx.Err() == nil {
			return err
		}
		if ok {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
