package planted

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
)

// page is a ConfigMap with a page of a Site.
func page(i int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("page-%03d", i)},
		Data:       map[string]string{"title": fmt.Sprint("Page ", i)},
	}
}

// publish makes so many pages, by many at once: it is no part of the exercise.
func publish(pages int) func(context.Context, *stage) error {
	return func(ctx context.Context, st *stage) error {
		return inParallel(8, pages, func(i int) error {
			_, err := st.person.CoreV1().ConfigMaps(st.person.namespace).Create(ctx, page(i), metav1.CreateOptions{})
			return err
		})
	}
}

// inParallel calls do for 0 to n-1, with so many calls at a time, and returns the first error.
func inParallel(workers, n int, do func(int) error) (first error) {
	var running sync.WaitGroup
	var fail sync.Once
	next := make(chan int)
	for range workers {
		running.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					fail.Do(func() { first = err })
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	running.Wait()
	return first
}

// readPages reads all pages as they should be read at a start: in chunks of one snapshot.
func readPages(ctx context.Context, c *controller) error {
	p := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().ConfigMaps(c.namespace).List(ctx, o)
	})
	p.PageSize = 200
	return p.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error {
		c.count("pages")
		return nil
	})
}
