package program

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/pflag"

	"kubarium/app/cli"
	"kubarium/app/home"
	"kubarium/app/kept"
	"kubarium/app/pki"
	"kubarium/app/port"
	"kubarium/flow"
	"kubarium/server/admission"
	"kubarium/server/authz"
	"kubarium/server/controllers"
	"kubarium/server/enablement"
	"kubarium/server/features"
	"kubarium/server/kinds"
	"kubarium/server/nodes"
	"kubarium/sqlitestore"
)

// A Config says what a Program serves, and from where.
type Config struct {
	Listen      string            // address and port, on the loopback interface; port 0 picks a free one, and "" is none, with HTTPS
	Secure      Secure            // HTTPS
	Authn       Authentication    // who is believed
	FrontProxy  FrontProxy        // how servers behind APIServices know this one
	DB          string            // path of the database; ":memory:" for a temporary one
	Store       Etcd              // the etcd cluster in the place of DB, if one is said
	History     time.Duration     // how long old revisions stay readable
	EventTTL    time.Duration     // how long Events stay after their last write; 0 for ever
	Sync        string            // "full", "normal" or "off", SQLite's synchronous
	Controllers controllers.List  // which controllers run; none if nothing is said
	Nodes       int               // how many simulated nodes run, 0 to nodes.Most
	APIs        enablement.Config // which built-in APIs are served
	Features    features.Gates
	Admission   admission.Plugins  // which admission plugins are on; kube-apiserver's defaults if nothing is said
	Audit       Audit              // what is written to the audit log
	Modes       authz.Modes        // who decides what is allowed; AlwaysAllow if nothing is said
	Services    kinds.ServiceRange // of the cluster IPs of Services
	Advertise   net.IP             // where others find the server; nil for the address that it listens on
	Record      Record             // what is kept of the run
	Faults      Faults             // what is done to requests
	Drain       time.Duration      // how long requests under way may take when it ends; 0 is five seconds
	Announce    string             // as what it is found among the running servers of its user: "serve", "ui"; "" for not at all

	Command bool // whether there is a further plain port, for a command: see Program.CommandURL

	Begin  sqlitestore.Beginning // of a new database; nil for none. A fork's is that of its origin
	Flows  flow.Limits           // of the log of flows; zero for the usual ones
	Remedy string                // what to do about a database that cannot be written; "" is to say another by --db

	origin    *origin // of a fork; nil for none
	past      bool    // the history of another server, which is only read; see startPast
	keys      string  // folder of the keys and certificates that the servers of Store have
	failAfter string  // step of the start that fails once it is done, in tests
}

// syncs are the values of --sync.
var syncs = []string{"full", "normal", "off"}

// Flags declares the configuration's flags, with their defaults.
func (c *Config) Flags(f *pflag.FlagSet) {
	f.StringVar(&c.Listen, "listen", "127.0.0.1:8080", "address to serve on, loopback only; port 0 picks a free one; empty for HTTPS only (--secure-listen)")
	c.Secure.flags(f)
	f.StringVar(&c.DB, "db", home.DB(), `database file; ":memory:" is a temporary one`)
	c.Store.Flags(f)
	f.BoolVar(&c.Store.Shared, "etcd-compact-shared", false, "compact an etcd cluster that holds keys of others too, whose history goes with it")
	f.DurationVar(&c.History, "history", 5*time.Minute, "how long old revisions stay readable")
	f.DurationVar(&c.EventTTL, "event-ttl", defaultEventTTL, "how long Events stay after their last write; 0 keeps them")
	f.Var(cli.NewChoice(&c.Sync, "full", syncs...), "sync", "full: an acknowledged write survives a power cut; normal: it survives a crash of Kubarium; off: the same, and SQLite never waits for the disk")
	c.Authn.flags(f)
	c.FrontProxy.flags(f)
	c.Controllers = controllers.All()
	f.Var(&c.Controllers, "controllers", controllers.Usage())
	f.IntVar(&c.Nodes, "nodes", c.Nodes, fmt.Sprintf("simulated nodes to run, 0 to %d; Pods go to Running on them, without containers", nodes.Most))
	f.Var(&c.APIs, "runtime-config", enablement.Usage)
	f.Var(&c.Features, "feature-gates", features.Usage())
	f.StringSliceVar(&c.Admission.Enable, "enable-admission-plugins", nil, "admission plugins to enable in addition to kube-apiserver's defaults")
	f.StringSliceVar(&c.Admission.Disable, "disable-admission-plugins", nil, "admission plugins to disable, by kube-apiserver's names")
	f.StringVar(&c.Admission.Config, "admission-control-config-file", "", "file of an AdmissionConfiguration, for plugins that need one")
	c.Audit.flags(f)
	f.Var(&c.Services, "service-cluster-ip-range", "range of the cluster IPs of Services")
	f.IPVar(&c.Advertise, "advertise-address", nil, "address under which others reach the server (default: the address it listens on, or the machine's)")
	f.Var(&c.Modes, "authorization-mode", authz.Usage)
	c.Record.Flags(f)
	kept.Flag(f, &c.Flows)
	c.Faults.flags(f)
}

// Check refuses what cannot be served.
func (c *Config) Check() error {
	if err := cli.OneOf(c.Sync, syncs); err != nil {
		return cli.Misuse(fmt.Errorf("--sync %s: %w", c.Sync, err))
	}
	if err := home.Named(c.DB); err != nil && c.Store.URL == "" {
		return cli.Misuse(err)
	}
	if c.Nodes < 0 || c.Nodes > nodes.Most {
		return cli.Misuse(fmt.Errorf("--nodes must be 0 to %d, not %d", nodes.Most, c.Nodes))
	}
	if c.History <= 0 {
		return cli.Misuse(fmt.Errorf("--history must be more than 0, not %s", c.History))
	}
	if c.EventTTL < 0 {
		return cli.Misuse(fmt.Errorf("--event-ttl must not be negative, as %s is", c.EventTTL))
	}
	if err := errors.Join(c.Secure.check(c.Modes.Has(authz.ModeAlwaysAllow) && c.Authn.Anonymous), c.Authn.check(), c.FrontProxy.check(), c.Admission.Check(), c.Audit.check(), c.Record.Check(), kept.Check(c.Flows), c.Faults.check(), c.Store.Check()); err != nil {
		return cli.Misuse(err)
	}
	if c.Listen == "" && c.Secure.Listen != "" {
		return nil
	}
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return cli.Misuse(fmt.Errorf("--listen must be HOST:PORT, not %q", c.Listen))
	}
	if !port.IsLoopback(host) {
		return cli.Misuse(fmt.Errorf("--listen %s is beyond the loopback interface, which needs TLS; use 127.0.0.1 or [::1], or --secure-listen", c.Listen))
	}
	return nil
}

// An origin is what a fork takes from the server that it is made from.
type origin struct {
	credentials *credentials
	certificate *certificate
	begin       func(context.Context) sqlitestore.Beginning // with the state at the fork's revision
}

// beginning is what a new database begins with; nil for nothing.
func (c *Config) beginning(ctx context.Context) sqlitestore.Beginning {
	if c.origin != nil {
		return c.origin.begin(ctx)
	}
	return c.Begin
}

// folder is where the keys and certificates of a Program are: those of a fork are its parent's, so that users known
// there are known here.
func (c *Config) folder() string {
	if c.origin != nil {
		return c.origin.credentials.folder
	}
	if c.keys != "" {
		return c.keys
	}
	return pki.Folder(c.DB)
}

// hosts are those of a listener: its own, those of the machine if it listens on all, and those inside a cluster.
func (c *Config) hosts(listen net.Addr) hosts {
	h := hosts{
		names: []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
		ips:   []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback, net.ParseIP(c.Services.First())},
	}
	if name, err := os.Hostname(); err == nil {
		h.names = append(h.names, name)
	}
	if c.Advertise != nil && !c.Advertise.IsUnspecified() {
		h.add(c.Advertise)
	}
	ip := listen.(*net.TCPAddr).IP
	if !ip.IsUnspecified() {
		h.add(ip)
		return h
	}
	addresses, _ := net.InterfaceAddrs() // without them it is found on the loopback interface
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok {
			h.add(n.IP)
		}
	}
	return h
}
