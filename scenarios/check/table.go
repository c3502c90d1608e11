package check

import "kubarium/scenarios/expr"

// ofTable returns the object or the list that a Table shows, as far as it has it; nil if the answer is not a Table.
func ofTable(answer map[string]any, single bool) map[string]any {
	if answer["kind"] != "Table" {
		return nil
	}
	rows, _ := answer["rows"].([]any)
	items := []any{}
	for _, row := range rows {
		if o, ok := expr.Lookup(row, "object"); ok {
			items = append(items, o)
		}
	}
	if single && len(items) == 1 {
		object, _ := items[0].(map[string]any)
		return object
	}
	return map[string]any{"metadata": answer["metadata"], "items": items}
}
