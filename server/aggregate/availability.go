package aggregate

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper"
	client "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"
	local "k8s.io/kube-aggregator/pkg/controllers/status/local" // which calls itself external
	"k8s.io/kube-aggregator/pkg/controllers/status/metrics"
	"k8s.io/kube-aggregator/pkg/controllers/status/remote"
)

// An Availability asks the servers behind APIServices whether they answer, and writes that into the condition
// Available. The official controller asks those behind Services; those at a URL are asked in the same manner; another
// official controller marks local ones available.
type Availability struct {
	Aggregator *Aggregator
	// Informers have the Services and EndpointSlices; they are begun with the first APIService that leads to one.
	Informers informers.SharedInformerFactory
	// Client writes the conditions.
	Client client.APIServicesGetter
}

// again is after what time a server is asked again that was there, as in kube-apiserver.
const again = 30 * time.Second

// workers are kube-apiserver's.
const workers = 5

// Run asks until ctx ends. Nothing is asked, and nothing looked up, until something leads elsewhere.
func (a *Availability) Run(ctx context.Context) {
	told := metrics.New()
	seen := &view{lasting{a.Aggregator.o.APIServices}, ctx}
	here, err := local.New(seen, a.Client, told)
	if err != nil {
		return
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { here.Run(1, ctx.Done()) })
	if !a.elsewhere(ctx) {
		return
	}
	running.Go(func() { a.atURLs(ctx) })
	services, slices := a.Informers.Core().V1().Services(), a.Informers.Discovery().V1().EndpointSlices()
	there, err := remote.New(seen, serviceView{services, lasting{services.Informer()}}, sliceView{slices, lasting{slices.Informer()}}, a.Client, nil,
		a.Aggregator.o.ClientCert, a.Aggregator.o.Resolver, told)
	if err != nil { // everything ends
		return
	}
	a.Informers.StartWithContext(ctx)
	there.Run(workers, ctx.Done())
}

// elsewhere waits until something leads elsewhere, and reports false if ctx ends first.
func (a *Availability) elsewhere(ctx context.Context) bool {
	for {
		changed := a.Aggregator.Changed()
		if len(a.Aggregator.Services()) > 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

// atURLs asks the servers at URLs: whenever something has changed, after a while, and those that are away sooner.
func (a *Availability) atURLs(ctx context.Context) {
	const soon = 100 * time.Millisecond
	for pause := soon; ; {
		changed := a.Aggregator.Changed()
		wait := again
		for _, s := range a.Aggregator.Services() {
			if s.APIService.Annotations[URLAnnotation] == "" {
				continue
			}
			if err := a.ask(ctx, s); err != nil {
				wait = pause
			}
		}
		if wait == again {
			pause = soon
		} else {
			pause = min(2*pause, again)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-time.After(wait):
		}
	}
}

// ask asks one server and sets its condition. The error says that it must be asked again soon.
func (a *Availability) ask(ctx context.Context, s *Service) error {
	condition := apiregistrationv1.APIServiceCondition{
		Type: apiregistrationv1.Available, Status: apiregistrationv1.ConditionTrue, LastTransitionTime: metav1.Now(),
		Reason: "Passed", Message: "all checks passed",
	}
	away := s.discover(ctx)
	if away != nil {
		condition.Status, condition.Reason, condition.Message = apiregistrationv1.ConditionFalse, "FailedDiscoveryCheck", away.Error()
	}
	next := s.APIService.DeepCopy()
	helper.SetAPIServiceCondition(next, condition)
	if equality.Semantic.DeepEqual(s.APIService.Status, next.Status) {
		return away
	}
	if _, err := a.Client.APIServices().UpdateStatus(ctx, next, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return away
}

// longestAsked is how long a server may take to answer, as in kube-apiserver.
const longestAsked = 5 * time.Second

// discover asks for the page of discovery that each server must have. The error is in the words of the official
// controller.
func (s *Service) discover(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longestAsked)
	defer cancel()
	at, err := s.Regardless().Locate()
	if err != nil {
		if r, ok := err.(*Refusal); ok && r.Cause != nil {
			return r.Cause
		}
		return err
	}
	at.Path = s.Path()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	resp, err := s.as(Self, nil).RoundTrip(r)
	if err != nil {
		return fmt.Errorf("failing or missing response from %v: %w", at, err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("failing or missing response from %v: bad status from %v: %d", at, at, resp.StatusCode)
	}
	return nil
}
