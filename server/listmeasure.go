package server

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"kubarium/server/cache"
)

// measuredAtOnce is how many objects are measured between two looks at the client and at the garbage.
const measuredAtOnce = 64

// measure sees to it that the sizes of all objects are known. The many that are not, when a list is read for the first
// time in its form, are measured on all cores. The error is that of the first object that can not be encoded.
func (l typedList) measure(ctx context.Context, objects []*cache.Object) error {
	unknown := l.unmeasured(objects)
	if len(unknown) == 0 {
		return nil
	}
	parts := (len(unknown) + measuredAtOnce - 1) / measuredAtOnce
	errs := make([]error, parts)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(parts, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= parts || ctx.Err() != nil {
					return
				}
				part := unknown[i*measuredAtOnce : min((i+1)*measuredAtOnce, len(unknown))]
				if errs[i] = l.measureEach(part); errs[i] != nil {
					next.Store(int64(parts)) // those before it are at work or done
				}
				collectGarbage()
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (l typedList) unmeasured(objects []*cache.Object) (unknown []*cache.Object) {
	for _, o := range objects {
		if o.Sizes[l.size].Load() == 0 {
			unknown = append(unknown, o)
		}
	}
	return unknown
}

func (l typedList) measureEach(objects []*cache.Object) error {
	for _, o := range objects {
		obj, err := l.item(o)
		if err != nil {
			return err
		}
		o.Sizes[l.size].Store(int32(obj.(sized).Size()))
	}
	return nil
}
