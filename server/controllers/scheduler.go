package controllers

import (
	"context"

	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// runScheduler runs the official scheduler with its default plugins. It has informers of its own: its Pods are those that
// have not ended.
func runScheduler(ctx context.Context, h host) {
	api := h.api()
	informers := scheduler.NewInformerFactory(api, 0, nil)
	reports := events.NewBroadcaster(&events.EventSinkImpl{Interface: api.EventsV1()})
	defer reports.Shutdown()
	if err := reports.StartRecordingToSinkWithContext(ctx); err != nil {
		h.log.Error("start a controller", "name", h.name, "error", err)
		return
	}
	s, err := scheduler.New(ctx, api, informers, nil, profile.NewRecorderFactory(reports))
	if err != nil {
		h.log.Error("start a controller", "name", h.name, "error", err)
		return
	}
	informers.Start(ctx.Done())
	defer informers.Shutdown()
	informers.WaitForCacheSync(ctx.Done())
	if s.WaitForHandlersSync(ctx) == nil {
		s.Run(ctx)
	}
}
