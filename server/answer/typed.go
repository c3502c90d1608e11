package answer

import (
	"bytes"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/objects"
)

// encodeTyped makes an answer in an encoding of typed objects. The stored JSON becomes such an object first.
func (c *Client) encodeTyped(a *Answer) ([]byte, error) {
	obj, err := c.typed(a)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = c.Media.Codec.Encode(&b, obj, false)
	return b.Bytes(), err
}

// typed is an answer as one typed object.
func (c *Client) typed(a *Answer) (runtime.Object, error) {
	if a.Object != nil {
		return a.Object, nil
	}
	if c.Media.As != "" {
		return c.View(a)
	}
	objects, _, err := decodeAnswer(c.Context(), a, objects.DecodeServed)
	if err != nil {
		return nil, err
	}
	if a.Record != nil {
		return objects[0], nil
	}
	list, err := emptyList(a)
	if err != nil {
		return nil, err
	}
	for _, obj := range objects {
		if !a.Kind.Dynamic {
			obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // items of a built-in list carry none
		}
	}
	return list, meta.SetList(list, objects)
}
