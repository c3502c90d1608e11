package answer

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"kubarium/server/cache"
	"kubarium/server/objects"
)

// measuredAtOnce is how many objects are measured between two looks at the client.
const measuredAtOnce = 64

// measure sees to it that the sizes of all objects are known. The many that are not, when a list is read for the first
// time in its form, are measured on all cores. The error is that of the first object that cannot be encoded.
func (l typedList) measure(ctx context.Context, objects []*cache.Object) error {
	var unknown []*cache.Object
	for _, o := range objects {
		if o.Sizes[l.size].Load() == 0 {
			unknown = append(unknown, o)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	m := measuring{l: l, parts: slices.Collect(slices.Chunk(unknown, measuredAtOnce))}
	m.errs = make([]error, len(m.parts))
	var workers sync.WaitGroup
	for range min(len(m.parts), runtime.GOMAXPROCS(0)) {
		workers.Go(func() { m.work(ctx) })
	}
	workers.Wait()
	if panicked := m.panicked.Load(); panicked != nil {
		panic(*panicked)
	}
	for _, err := range m.errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// A measuring is objects that are being measured.
type measuring struct {
	l        typedList
	parts    [][]*cache.Object
	errs     []error // of each part
	next     atomic.Int64
	panicked atomic.Pointer[string] // what a worker ended with, which is for the request that asked
}

// work measures one part after the other, until there is none left, one cannot be measured, or the client has gone.
func (m *measuring) work(ctx context.Context) {
	defer func() {
		if v := recover(); v != nil {
			text := fmt.Sprintf("%v\n%s", v, debug.Stack())
			m.panicked.Store(&text)
		}
	}()
	for ctx.Err() == nil {
		i := int(m.next.Add(1)) - 1
		if i >= len(m.parts) {
			return
		}
		if m.errs[i] = m.l.measureEach(m.parts[i]); m.errs[i] != nil {
			m.next.Store(int64(len(m.parts))) // those before it are at work or done
		}
	}
}

func (l typedList) measureEach(part []*cache.Object) error {
	for _, o := range part {
		if objects.Measure(l.kind, o); o.Sizes[l.size].Load() > 0 {
			continue
		}
		obj, err := l.item(o)
		if err != nil {
			return err
		}
		o.Sizes[l.size].Store(int32(obj.(sized).Size()))
	}
	return nil
}
