package controllers

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"kubarium/server/loopback"
)

// Follow is follow: it calls act with the type of each event and its object.
func (c Client) Follow(ctx context.Context, path string, act func(eventType string, object json.RawMessage)) {
	c.follow(ctx, slog.New(slog.DiscardHandler), path, func(_ context.Context, e event) { act(e.Type, e.Object) })
}

// Early reports whether an event reaches a handler of a view before the controller is complete, then, and after its end. The
// informer is one that runs already.
func Early(ctx context.Context, server loopback.Server) (before, complete, ended int, err error) {
	dialer := loopback.To(server)
	defer dialer.Close()
	factory := informers.NewSharedInformerFactory(dialer.As("early", manager).Kubernetes(), 0)
	s := &shared{ctx, factory}
	factory.Core().V1().Namespaces().Informer()
	s.start()
	factory.WaitForCacheSync(ctx.Done())
	v := s.view()
	came := make(chan any, 100)
	if _, err = v.core().Namespaces().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(o any) { came <- o }}); err != nil {
		return
	}
	time.Sleep(50 * time.Millisecond) // in which they would come
	before = len(came)
	v.complete()
	<-came
	complete = 1
	v.close()
	for len(came) > 0 {
		<-came
	}
	_, err = dialer.As("early", manager).Kubernetes().CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "late"}}, metav1.CreateOptions{})
	time.Sleep(50 * time.Millisecond)
	return before, complete, len(came), err
}
