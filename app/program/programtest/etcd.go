package programtest

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/app/program"
	"kubarium/etcdstore/etcdtest"
)

// MustStartEtcd starts a server on an etcd of its own.
func MustStartEtcd(t *testing.T) (*program.Program, *clientv3.Client) {
	t.Helper()
	cluster := etcdtest.Start(t, 1)
	return MustStartConfig(t, OnEtcd(cluster, t.TempDir())), cluster.Client(t)
}

// OnEtcd is a server on a cluster, whose forks are in a folder.
func OnEtcd(cluster *etcdtest.Cluster, dir string) program.Config {
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(dir, "k.db"), History: 5 * time.Minute, Sync: "full", Store: program.Etcd{URL: EtcdURL(cluster)}}
	c.Admission.Disable = []string{"ServiceAccount"}
	return c
}

func EtcdURL(cluster *etcdtest.Cluster) string {
	return "etcd://" + strings.TrimPrefix(cluster.Endpoints()[0], "http://") + "/kubarium"
}
