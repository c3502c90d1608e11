package etcdstore

import (
	"context"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Files are the keys and certificates that all servers of a store have, by the names of their files. Where there are
// none yet they become those that made makes, unless another server is quicker.
func Files(ctx context.Context, client *clientv3.Client, prefix string, made func() (map[string][]byte, error)) (map[string][]byte, error) {
	below := keysBelow(prefix).pki()
	files, err := readFiles(ctx, client, below)
	if err != nil || len(files) > 0 || made == nil {
		return files, err
	}
	if files, err = made(); err != nil {
		return nil, err
	}
	var first []clientv3.Cmp
	var puts []clientv3.Op
	for name, text := range files {
		first = append(first, clientv3.Compare(clientv3.ModRevision(below+name), "=", 0))
		puts = append(puts, clientv3.OpPut(below+name, string(text)))
	}
	if _, err := client.Txn(ctx).If(first...).Then(puts...).Commit(); err != nil {
		return nil, err
	}
	return readFiles(ctx, client, below)
}

func readFiles(ctx context.Context, client *clientv3.Client, below string) (map[string][]byte, error) {
	got, err := client.Get(ctx, below, clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, kv := range got.Kvs {
		files[strings.TrimPrefix(string(kv.Key), below)] = kv.Value
	}
	return files, nil
}
