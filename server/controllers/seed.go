package controllers

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The files below furniture/ are named like the collections that they belong to. Each line is an object that a cluster
// has from the beginning, as kube-apiserver 1.37 creates it: roles and their bindings, flow control, priorities, addresses.
//
//go:embed furniture
var furniture embed.FS

// seeders is how many objects are created at once, which the store commits together. More would be in the way of the
// first clients.
const seeders = 4

// seed creates the objects of the whole cluster that are missing.
func (f *furnisher) seed(ctx context.Context) {
	err := fs.WalkDir(furniture, "furniture", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || ctx.Err() != nil {
			return err
		}
		lines, err := furniture.ReadFile(path)
		if err != nil {
			return err
		}
		f.seedCollection(ctx, strings.TrimSuffix(strings.TrimPrefix(path, "furniture"), ".jsonl"), lines)
		return nil
	})
	if err != nil {
		f.log.Error("read the furniture", "error", err)
	}
}

// seedCollection creates the objects, one a line, that a collection lacks.
func (f *furnisher) seedCollection(ctx context.Context, path string, lines []byte) {
	var there metav1.PartialObjectMetadataList
	brief := f.Client
	brief.Accept = metadataList
	if err := brief.do(ctx, http.MethodGet, path, nil, &there); err != nil {
		f.missing(ctx, path, err)
		return
	}
	has := map[string]bool{}
	for _, o := range there.Items {
		has[o.Namespace+"/"+o.Name] = true
	}
	i := strings.LastIndexByte(path, '/')
	in := collection{prefix: path[:i], resource: path[i+1:]}
	var wg sync.WaitGroup
	free := make(chan struct{}, seeders)
	for line := range bytes.Lines(lines) {
		var o metav1.PartialObjectMetadata
		if json.Unmarshal(line, &o) != nil || has[o.Namespace+"/"+o.Name] {
			continue
		}
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			err := f.do(ctx, http.MethodPost, in.in(o.Namespace)+"?fieldManager=kube-apiserver", json.RawMessage(line), nil)
			f.missing(ctx, path+"/"+o.Name, err)
		})
	}
	wg.Wait()
}
