package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"kubarium/app/cli"
	"kubarium/app/envtest"
	"kubarium/app/port"
	"kubarium/app/program"
	"kubarium/app/remedy"
	"kubarium/server"
	"kubarium/server/admission"
	"kubarium/server/authz"
	"kubarium/server/catalogue"
	"kubarium/server/controllers"
	"kubarium/server/kinds"
)

func newKubeAPIServer() *cobra.Command {
	return &cobra.Command{
		Use:                envtest.KubeAPIServer,
		Short:              "Serve the API with the flags of kube-apiserver, on the data of the command etcd",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runKubeAPIServer(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// runKubeAPIServer is the program kube-apiserver, until ctx ends.
func runKubeAPIServer(ctx context.Context, args []string, out, errs io.Writer) error {
	var k kubeAPIServer
	flags := k.flags()
	rest := envtest.Complete(flags)
	switch err := flags.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return k.help(out, flags)
	case err != nil:
		return cli.Misuse(err)
	case k.version:
		_, err := fmt.Fprintf(out, "Kubernetes %s\n", server.KubernetesVersion)
		return err
	case strings.Join(flags.Args(), "") != "": // templates leave empty ones
		return cli.Misuse(fmt.Errorf("%q does not take any arguments, got %q", envtest.KubeAPIServer, flags.Args()))
	}
	k.decision = k.decision || flags.Changed("authorization-config")
	if err := k.check(); err != nil {
		return cli.Misuse(err)
	}
	if asked := slices.Concat(k.dropped, rest.Asked()); len(asked) > 0 {
		cli.Printf(errs, "kubarium: kube-apiserver: not acted on: %s\n", strings.Join(asked, " "))
	}
	logger := cli.NewLogger(errs)
	switch err := k.store(ctx, logger); {
	case ctx.Err() != nil: // interrupted before it served
		return nil
	case err != nil:
		return err
	}
	err := serve(ctx, k.Config, io.Discard, logger)
	if taken := (port.InUse{}); errors.As(err, &taken) {
		return fmt.Errorf("port in use: something serves on %s already", taken.Address)
	}
	return err
}

// A kubeAPIServer is what the flags of kube-apiserver say.
type kubeAPIServer struct {
	program.Config
	dropped  []string // of what was asked for and is not here
	decision bool     // whether it was said who decides what is allowed, by a mode that is not here or by a file

	bind        net.IP
	port        int
	etcdServers []string
	etcdPrefix  string
	admission   []string // all plugins that are to be on; nil where nothing is said
	version     bool
}

// defaultServices is kube-apiserver's --service-cluster-ip-range where nothing is said.
const defaultServices = "10.0.0.0/24"

// flags declares those flags of kube-apiserver that Kubarium has, and the ways to a store and a port.
func (k *kubeAPIServer) flags() *pflag.FlagSet {
	ours := pflag.NewFlagSet("", pflag.ContinueOnError)
	k.Config.Flags(ours)
	k.Controllers, k.Listen = controllers.List{}, ""
	f := pflag.NewFlagSet(envtest.KubeAPIServer, pflag.ContinueOnError)
	f.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	f.Usage = func() {}
	ours.VisitAll(func(flag *pflag.Flag) {
		if envtest.Acts(flag.Name) {
			f.AddFlag(flag)
		}
	})
	f.Lookup("authorization-mode").Value = &lenient{&k.Modes, k.knownModes}
	f.Lookup("feature-gates").Value = &lenient{&k.Features, k.knownGates}
	ranges := f.Lookup("service-cluster-ip-range")
	ranges.Value, ranges.DefValue = &lenient{&k.Services, k.knownRange}, defaultServices
	_ = k.Services.Set(defaultServices)
	f.IPVar(&k.bind, "bind-address", net.IPv4zero, "address to serve on")
	f.IntVar(&k.port, "secure-port", 6443, "port to serve HTTPS on")
	f.StringSliceVar(&k.etcdServers, "etcd-servers", nil, "URLs of an etcd that is Kubarium too; with any other etcd the data is kept in the folder --cert-dir")
	f.StringVar(&k.etcdPrefix, "etcd-prefix", "/registry", "prefix of this server where several share an etcd; each has its own database")
	f.StringSliceVar(&k.admission, "admission-control", nil, "all admission plugins to enable")
	f.Lookup("admission-control").Hidden = true // it is deprecated
	f.BoolVar(&k.version, "version", false, "print the version and exit")
	f.Lookup("version").NoOptDefVal = "true"
	return f
}

func (k *kubeAPIServer) help(out io.Writer, f *pflag.FlagSet) error {
	_, err := fmt.Fprintf(out, `Usage: kube-apiserver [flags]

Kubarium in the place of kube-apiserver. All flags of kube-apiserver are known; these are
acted on, and others are named at the start:

%s`, f.FlagUsagesWrapped(helpWidth))
	return err
}

// check refuses what makes no sense together, and completes what is left open as kube-apiserver does.
func (k *kubeAPIServer) check() error {
	switch {
	case len(k.etcdServers) == 0:
		return errors.New("--etcd-servers must be specified")
	case k.port < 1 || k.port > 65535:
		return fmt.Errorf("--secure-port %d must be between 1 and 65535, inclusive. It cannot be turned off with 0", k.port)
	}
	if err := k.completeAdmission(); err != nil {
		return err
	}
	if k.bind == nil {
		k.bind = net.IPv4zero
	}
	k.Secure.Listen = net.JoinHostPort(k.bind.String(), strconv.Itoa(k.port))
	k.Drain = 200 * time.Millisecond
	if len(k.Modes) == 0 && k.decision { // such a flag means that not everything is allowed
		k.Modes = authz.Modes{authz.ModeRBAC}
	}
	if k.Modes.Has(authz.ModeAlwaysAllow) {
		k.Authn.Anonymous = false // anonymous users could do everything
	}
	if k.Audit.LacksPolicy() {
		k.dropped = append(k.dropped, "--audit-… without --audit-policy-file")
		k.Audit = program.Audit{}
	}
	k.drop("runtime-config", k.APIs.Prune(server.Resources(catalogue.New(kinds.BuiltIn()...)))...)
	k.Config.Sync, k.Announce = "full", "envtest"
	return k.Config.Check()
}

// completeAdmission takes the older flag for what the newer ones would say.
func (k *kubeAPIServer) completeAdmission() error {
	if k.admission == nil {
		return nil
	}
	if k.Admission.Enable != nil || k.Admission.Disable != nil {
		return errors.New("admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive")
	}
	if err := (admission.Plugins{Enable: k.admission}).Check(); err != nil {
		return err
	}
	k.Admission.Enable, k.Admission.Disable = admission.Only(k.admission)
	return nil
}

// store finds the database: that of the etcd, or one in the folder of certificates.
func (k *kubeAPIServer) store(ctx context.Context, logger *slog.Logger) error {
	s, err := envtest.Find(ctx, k.etcdServers)
	if err == nil {
		k.Remedy = "let etcd have a --data-dir FOLDER that can be written"
		k.DB = s.File(k.etcdPrefix)
		if !s.Sync {
			k.Config.Sync = "off"
		}
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	k.DB, k.Remedy = ":memory:", remedy.Certificates
	if k.Secure.CertDir != "" {
		folder, err := filepath.Abs(k.Secure.CertDir)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return remedy.Add(err, remedy.Certificates)
		}
		k.DB = envtest.Store{Folder: folder}.File(k.etcdPrefix)
	}
	logger.Warn("the data is not kept by etcd", "etcd", err, "db", k.DB)
	return nil
}
