package kinds

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration"
	"k8s.io/kube-aggregator/pkg/registry/apiservice"
)

// apiService is the row of APIService: a group version, and who serves it.
func apiService() *Kind {
	k := row{
		gvk: gvk("apiregistration.k8s.io", "v1", "APIService"), resource: "apiservices", singular: "apiservice", categories: extensions,
		key: "apiregistration.k8s.io/apiservices", strategy: apiServiceStrategy{apiservice.NewStrategy(Scheme)}, status: apiservice.NewStatusStrategy(Scheme),
		tableless: []string{"status"}, keptAsJSON: true,
	}.kind()
	k.Printer = convertorPrinter(k, func() rest.TableConvertor { return apiServiceTable{} })
	return k
}

// apiServiceStrategy states the types of both a create and an update in one.
type apiServiceStrategy struct {
	rest.CreateUpdateResetFieldsStrategy
}

// apiServiceTable has the columns that kube-aggregator's storage of the kind has.
type apiServiceTable struct{}

// ConvertToTable fulfils rest.TableConvertor.
func (apiServiceTable) ConvertToTable(_ context.Context, obj, options runtime.Object) (*metav1.Table, error) {
	t := &metav1.Table{}
	if o, ok := options.(*metav1.TableOptions); !ok || o == nil || !o.NoHeaders {
		doc := metav1.ObjectMeta{}.SwaggerDoc()
		t.ColumnDefinitions = []metav1.TableColumnDefinition{
			{Name: "Name", Type: "string", Format: "name", Description: doc["name"]},
			{Name: "Service", Type: "string", Description: "The reference to the service that hosts this API endpoint."},
			{Name: "Available", Type: "string", Description: "Whether this service is available."},
			{Name: "Age", Type: "string", Description: doc["creationTimestamp"]},
		}
	}
	var err error
	t.Rows, err = table.MetaToTableRow(obj, func(obj runtime.Object, _ metav1.Object, name, age string) ([]any, error) {
		a, ok := obj.(*apiregistration.APIService)
		if !ok {
			return nil, fmt.Errorf("show an APIService: it is a %T", obj)
		}
		return []any{name, serviceOf(a), availabilityOf(a), age}, nil
	})
	return t, err
}

// APIServiceURL is an annotation of Kubarium's own on APIServices: at which URL the server is (package aggregate).
const APIServiceURL = "kubarium.dev/url"

func serviceOf(a *apiregistration.APIService) string {
	if u := a.Annotations[APIServiceURL]; u != "" {
		return u
	}
	if s := a.Spec.Service; s != nil {
		return s.Namespace + "/" + s.Name
	}
	return "Local"
}

func availabilityOf(a *apiregistration.APIService) string {
	for _, c := range a.Status.Conditions {
		switch {
		case c.Type != apiregistration.Available:
		case c.Status != apiregistration.ConditionTrue && c.Reason != "":
			return fmt.Sprintf("%s (%s)", c.Status, c.Reason)
		default:
			return string(c.Status)
		}
	}
	return string(apiregistration.ConditionUnknown)
}
