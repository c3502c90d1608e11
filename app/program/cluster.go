package program

import (
	"context"
	"errors"
	"os"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/app/pki"
	"kubarium/app/remedy"
	"kubarium/etcdstore"
)

// A cluster is the etcd cluster of a Program.
type cluster struct {
	client *clientv3.Client
	prefix string
	folder string // of the keys and certificates that all its servers have, as long as the Program runs
}

// FetchKeys writes the keys and certificates that all servers of a store have into a temporary folder; made makes
// them if there are none.
func FetchKeys(ctx context.Context, client *clientv3.Client, prefix string, made func() (map[string][]byte, error)) (folder string, err error) {
	files, err := etcdstore.Files(ctx, client, prefix, made)
	if err != nil {
		return "", err
	}
	if folder, err = os.MkdirTemp("", "kubarium-pki-"); err != nil {
		return "", remedy.Add(err, remedy.Temporary)
	}
	if err = pki.WriteShared(folder, files); err != nil {
		return "", errors.Join(remedy.Add(err, remedy.Temporary), os.RemoveAll(folder))
	}
	return folder, nil
}

// close ends the connection, and removes the keys from this machine.
func (c *cluster) close() error {
	return errors.Join(c.client.Close(), os.RemoveAll(c.folder))
}
