package etcdtest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

// A Member is one member of a Cluster. Its methods are for one goroutine.
type Member struct {
	cluster            *Cluster
	name               string
	dir                string // of its sockets, where only the test reaches it
	data               string // the folder
	program            string
	flags              []string
	clientURL, peerURL string
	cmd                *exec.Cmd // nil when it does not run
	stderr             buffer

	clients, peers wire
	hexID          string // "" until it has answered; guarded by cluster.mu
}

// newMember makes the sockets before a member, which outlive its process.
func newMember(c *Cluster, name, program string) *Member {
	c.t.Helper()
	// Paths of sockets are short: those of t.TempDir may be too long.
	dir, err := os.MkdirTemp("", "etcd-")
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	m := &Member{cluster: c, name: name, dir: dir, data: filepath.Join(c.t.TempDir(), "data"), program: program, clients: wire{flows: map[*flow]bool{}}, peers: wire{flows: map[*flow]bool{}}}
	m.clientURL = m.serveClients()
	m.peerURL = m.servePeers()
	m.flags = []string{
		"--name", name, "--data-dir", m.data, "--log-level", "error", "--unsafe-no-fsync",
		"--listen-client-urls", "unix://" + clientSocket, "--advertise-client-urls", m.clientURL,
		"--listen-peer-urls", "unix://" + peerSocket, "--initial-advertise-peer-urls", m.peerURL,
	}
	c.t.Cleanup(func() {
		m.Kill()
		if c.t.Failed() {
			c.t.Logf("%s: %s", name, m.stderr.String())
		}
	})
	return m
}

// Addresses of sockets, as etcd names them: names of files, of the form host:port.
const (
	clientSocket = "client:0"
	peerSocket   = "peer:0"
)

// Name is the member's name in the cluster.
func (m *Member) Name() string { return m.name }

// Endpoint is where clients reach the member.
func (m *Member) Endpoint() string { return m.clientURL }

// Inside is where a client reaches the member that nothing cuts off.
func (m *Member) Inside() string { return "unix://" + filepath.Join(m.dir, clientSocket) }

// Restart starts the process that does not run, with the data that it had. Await waits until it answers.
func (m *Member) Restart() {
	m.cluster.t.Helper()
	cmd := exec.Command(m.program, m.flags...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = m.dir, &m.stderr, &m.stderr
	if err := cmd.Start(); err != nil {
		m.cluster.t.Fatal(err)
	}
	m.cmd = cmd
}

// Kill ends the process at once, as it is.
func (m *Member) Kill() {
	if m.cmd == nil {
		return
	}
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
	m.cmd = nil
}

// Forget removes the data of a member that does not run.
func (m *Member) Forget() {
	m.cluster.t.Helper()
	if err := os.RemoveAll(m.data); err != nil {
		m.cluster.t.Fatal(err)
	}
}

// reachable says whether clients can reach the member, and the member the others.
func (m *Member) reachable() bool {
	m.cluster.mu.Lock()
	defer m.cluster.mu.Unlock()
	return m.cmd != nil && !m.clients.cut && !m.peers.cut
}

// leads says whether the member holds itself for the leader.
func (m *Member) leads() bool {
	leads := false
	err := m.ask(func(ctx context.Context, client *clientv3.Client) error {
		s, err := client.Status(ctx, m.clientURL)
		leads = err == nil && s.Leader == s.Header.MemberId
		return err
	})
	return err == nil && leads
}

// soon makes a client try often to connect: a member that starts takes less than the second that a client rests.
var soon = grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.5, MaxDelay: 200 * time.Millisecond}})

// ask asks the member alone, for a short time.
func (m *Member) ask(what func(context.Context, *clientv3.Client) error) error {
	client, err := connect([]string{m.clientURL}, soon)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return what(ctx, client)
}

func (m *Member) setID(id uint64) {
	m.cluster.mu.Lock()
	defer m.cluster.mu.Unlock()
	m.hexID = strconv.FormatUint(id, 16)
	m.cluster.byID[m.hexID] = m
}

func (m *Member) id() uint64 {
	m.cluster.mu.Lock()
	defer m.cluster.mu.Unlock()
	id, _ := strconv.ParseUint(m.hexID, 16, 64)
	return id
}

// A buffer is what a member has written so far.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
