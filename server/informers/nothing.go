package informers

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// nothing is the source of a kind that is not stored here, such as one that is still alpha.
type nothing struct{}

// IsWatchListSemanticsUnSupported makes the informer list before it watches.
func (nothing) IsWatchListSemanticsUnSupported() bool { return true }

// List fulfils cache.Lister.
func (nothing) List(metav1.ListOptions) (runtime.Object, error) {
	return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
}

// Watch fulfils cache.Watcher: it stays open without events.
func (nothing) Watch(metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil }
