package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// A made database has n ConfigMaps and n/10 Pods in 100 namespaces.
type made struct {
	path   string
	n      int
	stored int64 // bytes of all values
}

// namespaces is in how many the objects are.
const namespaces = 100

// atOnce is how many objects are written at the same time, so that they share transactions.
const atOnce = 1024

// makeDatabase makes a database unless there is one.
func makeDatabase(ctx context.Context, folder string, n int) (made, error) {
	m := made{path: filepath.Join(folder, fmt.Sprintf("%d.db", n)), n: n}
	for i := range n {
		m.stored += int64(len(configMap(i)))
	}
	for i := range n / 10 {
		m.stored += int64(len(pod(i)))
	}
	if _, err := os.Stat(m.path); err == nil {
		return m, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return m, err
	}
	return m, m.fill(ctx)
}

// fill writes the objects, to a file of another name until all are there.
func (m made) fill(ctx context.Context) error {
	part := m.path + ".part"
	s, err := sqlitestore.Open(ctx, sqlitestore.Options{Path: part, Sync: "off"})
	if err != nil {
		return err
	}
	err = errors.Join(m.write(ctx, s, "configmaps", m.n, configMap), m.write(ctx, s, "pods", m.n/10, pod), s.Close())
	if err != nil {
		return err
	}
	return os.Rename(part, m.path)
}

func (m made) write(ctx context.Context, s *sqlitestore.Store, resource string, n int, value func(int) []byte) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			w := storage.Write{Op: storage.OpCreate, Key: storage.NewKey(resource, namespace(i), name(i)), Value: value(i)}
			_, err := s.Write(ctx, w)
			return err
		})
	}
	return group.Wait()
}

func namespace(i int) string { return fmt.Sprintf("team-%02d", i%namespaces) }

func name(i int) string { return fmt.Sprintf("app-%06d-7d4b9c5f6d-x2v9k", i) }

// configMap is a ConfigMap of 1,000 bytes as the store holds it. One of ten has the label tier=web.
func configMap(i int) []byte {
	b := fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"%s","namespace":"%s","uid":"0b6e1f0a-7a3c-4c9e-9d1f-%012d","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"app-%d","tier":"%s"},"managedFields":[{"manager":"kubectl-create","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:settings":{}},"f:metadata":{"f:labels":{".":{},"f:app":{},"f:tier":{}}}}}]},"data":{"settings":"`,
		name(i), namespace(i), i, i/20, tier(i))
	const end = `"}}`
	return append(append(b, bytes.Repeat([]byte("x"), max(0, 1000-len(b)-len(end)))...), end...)
}

func tier(i int) string {
	if i/namespaces%10 == 0 {
		return "web"
	}
	return "back"
}

// pod is a Pod of some 1,300 bytes as the store holds it.
func pod(i int) []byte {
	return fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"%s","namespace":"%s","uid":"1c7f2a1b-7a3c-4c9e-9d1f-%012d","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"app-%d","tier":"%s"}},"spec":{"containers":[{"name":"c","image":"registry.example/app:1","env":[{"name":"A","value":"%s"}],"ports":[{"containerPort":80,"protocol":"TCP"}],"resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"100m","memory":"100Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","nodeName":"node-%d","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true},"status":{"phase":"Running","podIP":"10.0.0.1","qosClass":"Burstable"}}`,
		name(i), namespace(i), i, i/20, tier(i), bytes.Repeat([]byte("x"), 200), i%100)
}
