package shop

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The ConfigMaps that the controller writes of all shops, and of all customers.
const (
	ledgerName  = "ledger"
	membersName = "members"
)

// writeLedger makes the ledger of the shops that there are.
func (k *keeper) writeLedger(ctx context.Context) error {
	should := map[string]string{}
	for _, one := range k.shops.GetStore().List() {
		if s := one.(*corev1.ConfigMap); s.DeletionTimestamp == nil {
			should[s.Name] = s.Data["plan"]
		}
	}
	return k.book(ctx, ledgerName, func(data map[string]string) {
		clear(data)
		maps.Copy(data, should)
	})
}

// writeMembers enters the customers that there are.
func (k *keeper) writeMembers(ctx context.Context) error {
	return k.book(ctx, membersName, func(data map[string]string) {
		if !k.makes(Away) {
			clear(data)
		}
		for _, one := range k.customers.GetStore().List() {
			data[one.(*corev1.ConfigMap).Name] = "yes"
		}
	})
}

// book changes the ledger or the members, if that makes a difference.
func (k *keeper) book(ctx context.Context, name string, change func(map[string]string)) error {
	l, err := k.maps.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		l = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{}}
		change(l.Data)
		_, err = k.maps.Create(ctx, l, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	data := maps.Clone(l.Data)
	if data == nil {
		data = map[string]string{}
	}
	change(data)
	if maps.Equal(data, l.Data) {
		return nil
	}
	l.Data = data
	_, err = k.maps.Update(ctx, l, metav1.UpdateOptions{})
	return err
}
