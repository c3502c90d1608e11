// Package controllers holds the few controllers of kube-controller-manager without which an API server is hard to use:
// for the objects that each namespace has, for the content of deleted namespaces, garbage, aggregated roles, the status
// of quotas, and pods that no kubelet will remove. Each can be switched off by its name. Those of
// CustomResourceDefinitions are kube-apiserver's own, and always run.
//
// Each is a small loop that lists, watches and acts over HTTP, as any client would, so that everything it does is on
// the screen. Official controllers are used as they are where they are light.
package controllers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Client is the address of an API server, as one controller uses it.
type Client struct {
	Server string // "http://127.0.0.1:8080"
	Name   string // of the controller; it becomes the User-Agent and the field manager
	HTTP   *http.Client
	Accept string // media type of answers; "" is JSON
}

// do sends a request and decodes the answer into out, which may be nil. An answer that is an error is a *StatusError.
func (c Client) do(ctx context.Context, method, path string, body, out any) error {
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return newStatusError(resp.StatusCode, data)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(data, out)
}

func (c Client) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var r io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.Server+path, r)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "kubarium-controller/"+c.Name)
	req.Header.Set("Accept", cmp.Or(c.Accept, "application/json"))
	if body != nil {
		req.Header.Set("Content-Type", contentType(method))
	}
	return c.HTTP.Do(req)
}

// contentType is that of a body: a PATCH here is a merge patch.
func contentType(method string) string {
	if method == http.MethodPatch {
		return "application/merge-patch+json"
	}
	return "application/json"
}

// A StatusError is an answer that refused a request.
type StatusError struct{ Status metav1.Status }

func (e *StatusError) Error() string { return fmt.Sprintf("%d: %s", e.Status.Code, e.Status.Message) }

func newStatusError(code int, body []byte) error {
	e := &StatusError{}
	if json.Unmarshal(body, &e.Status) != nil {
		e.Status.Message = strings.TrimSpace(string(body))
	}
	e.Status.Code = int32(code)
	return e
}

// pathOf is the path of a resource in a namespace; "" is that over all namespaces, or of what lives in none.
func pathOf(r schema.GroupVersionResource, namespace string) string {
	path := "/apis/"
	if r.Group == "" {
		path = "/api/"
	}
	path += r.GroupVersion().String()
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	return path + "/" + r.Resource
}

// Media types of objects as metadata alone, and of lists of them.
const (
	metadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
)

// listToObject is the media type of a watch's events where lists come in another.
func listToObject(accept string) string {
	if accept == metadataList {
		return metadataOnly
	}
	return accept
}
