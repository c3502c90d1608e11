package kinds

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"
	printerstorage "k8s.io/kubernetes/pkg/printers/storage"

	"kubarium/server/table"
)

// generator has the official columns of all built-in kinds. It takes some milliseconds to make.
var generator = sync.OnceValue(func() rest.TableConvertor {
	return printerstorage.TableConvertor{TableGenerator: printers.NewTableGenerator().With(printersinternal.AddHandlers)}
})

// printed are the official columns of a built-in kind. One without has its name and the time of its creation, as in
// kube-apiserver.
func printed(k *Kind) table.Printer {
	return convertorPrinter(k, sync.OnceValue(func() rest.TableConvertor {
		if _, err := generator().ConvertToTable(context.Background(), emptyList(k), nil); err != nil {
			return rest.NewDefaultTableConvertor(k.GroupResource())
		}
		return generator()
	}))
}

// plain gives a row the default columns: kube-apiserver does not use the kind's own.
func plain(k *Kind) *Kind {
	k.Printer = convertorPrinter(k, func() rest.TableConvertor { return rest.NewDefaultTableConvertor(k.GroupResource()) })
	return k
}

// emptyList is an empty list in the kind's internal form.
func emptyList(k *Kind) runtime.Object {
	return mustNew(internal(k.GroupVersionKind).WithKind(k.ListGroupVersionKind().Kind))
}

// convertorPrinter asks an official converter for the columns and, object by object, for the rows.
func convertorPrinter(k *Kind, convertor func() rest.TableConvertor) table.Printer {
	return table.Printer{
		Empty: sync.OnceValue(func() metav1.Table {
			t, err := convertor().ConvertToTable(context.Background(), emptyList(k), nil)
			if err != nil {
				panic(fmt.Sprintf("the columns of %s: %v", k.Kind, err))
			}
			return *t
		}),
		Row: func(obj runtime.Object) (metav1.TableRow, error) {
			t, err := convertor().ConvertToTable(context.Background(), obj, &metav1.TableOptions{NoHeaders: true})
			if err != nil {
				return metav1.TableRow{}, err
			}
			if len(t.Rows) != 1 {
				return metav1.TableRow{}, fmt.Errorf("the row of a %s: there are %d", k.Kind, len(t.Rows))
			}
			t.Rows[0].Object = runtime.RawExtension{}
			return t.Rows[0], nil
		},
	}
}
