package customresource

import (
	"context"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// ageColumn stands alone beside the name where a version states no columns.
var ageColumn = apiextensionsv1.CustomResourceColumnDefinition{
	Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp",
	Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"],
}

// printer makes the columns of a version (additionalPrinterColumns). A column whose path can not be read leaves the
// names alone, as kube-apiserver does.
func (v *version) printer() table.Printer {
	columns := v.AdditionalPrinterColumns
	if len(columns) == 0 {
		columns = []apiextensionsv1.CustomResourceColumnDefinition{ageColumn}
	}
	convertor, _ := tableconvertor.New(columns)
	convert := func(obj runtime.Object) *metav1.Table {
		t, err := convertor.ConvertToTable(context.Background(), obj, nil)
		if err != nil {
			return &metav1.Table{}
		}
		return t
	}
	return table.Printer{
		Columns: convert(&unstructured.UnstructuredList{}).ColumnDefinitions,
		Cells: func(obj runtime.Object, _ time.Time) []any {
			rows := convert(obj).Rows
			if len(rows) == 0 {
				return []any{obj.(*unstructured.Unstructured).GetName()}
			}
			return rows[0].Cells
		},
	}
}
