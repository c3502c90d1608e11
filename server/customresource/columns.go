package customresource

import (
	"context"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"kubarium/server/table"
)

// ageColumn is the only column besides the name where a version states no columns.
var ageColumn = apiextensionsv1.CustomResourceColumnDefinition{
	Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp",
	Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"],
}

// A column is one of a version's columns besides the name.
type column struct {
	path    columnPath
	convert rest.TableConvertor // to a table of the name and this column
}

// printer makes the columns of a version (additionalPrinterColumns). A column whose path cannot be read is left out
// with those after it, as in kube-apiserver.
func (v *version) printer() table.Printer {
	stated := v.AdditionalPrinterColumns
	if len(stated) == 0 {
		stated = []apiextensionsv1.CustomResourceColumnDefinition{ageColumn}
	}
	headers := toTable(mustConvertor(), &unstructured.UnstructuredList{}).ColumnDefinitions
	var columns []column
	for _, c := range stated {
		convert, err := tableconvertor.New([]apiextensionsv1.CustomResourceColumnDefinition{evaluated(c)})
		if err != nil {
			break
		}
		header := toTable(convert, &unstructured.UnstructuredList{}).ColumnDefinitions[1]
		if c.Description == "" {
			header.Description = "Custom resource definition column (in JSONPath format): " + c.JSONPath
		}
		headers = append(headers, header)
		columns = append(columns, column{parsePath(c), convert})
	}
	return table.Printer{
		Empty: func() metav1.Table {
			return metav1.Table{ColumnDefinitions: headers, Rows: []metav1.TableRow{}}
		},
		Row: func(obj runtime.Object) (metav1.TableRow, error) {
			return metav1.TableRow{Cells: cells(columns, obj.(*unstructured.Unstructured))}, nil
		},
	}
}

// cells are the name and the columns of an object. A column is empty where evaluating it would be too much work.
func cells(columns []column, u *unstructured.Unstructured) []any {
	row := make([]any, 1, 1+len(columns))
	row[0] = u.GetName()
	left := visits(maxVisits)
	for _, c := range columns {
		if !c.path.affordable(u, &left) {
			row = append(row, nil)
			continue
		}
		rows := toTable(c.convert, u).Rows
		if len(rows) == 0 {
			return row[:1]
		}
		row[0] = rows[0].Cells[0]
		row = append(row, rows[0].Cells[1])
	}
	return row
}

func toTable(c rest.TableConvertor, obj runtime.Object) *metav1.Table {
	t, err := c.ConvertToTable(context.Background(), obj, nil) // it does not use the context
	if err != nil {
		return &metav1.Table{}
	}
	return t
}

func mustConvertor() rest.TableConvertor {
	c, err := tableconvertor.New(nil)
	if err != nil {
		panic(err) // impossible without a path
	}
	return c
}
