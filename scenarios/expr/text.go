package expr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Text writes a JSON value as a lesson does.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return "null"
	}
	return JSON(v)
}

// JSON is a value as JSON in one line.
func JSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
