package program

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/server/options"
)

// Audit says what is written to the audit log, and where to: kube-apiserver's own flags.
type Audit struct{ *options.AuditOptions }

// shownAudit are the flags that the help shows; the others work, too.
var shownAudit = map[string]string{
	"audit-policy-file": "file of an audit policy: which requests the audit log has, and how much of each",
	"audit-log-path":    "file of the audit log, \"-\" for stdout; kube-apiserver's other --audit-log and --audit-webhook flags work, too",
}

func (a *Audit) flags(f *pflag.FlagSet) {
	a.AuditOptions = options.NewAuditOptions()
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	a.AddFlags(own)
	own.VisitAll(func(flag *pflag.Flag) {
		usage, shown := shownAudit[flag.Name]
		flag.Usage, flag.Hidden = usage, !shown
	})
	f.AddFlagSet(own)
}

// orNone are the options, or those that ask for no audit log where nothing is said.
func (a Audit) orNone() *options.AuditOptions {
	if a.AuditOptions == nil {
		return options.NewAuditOptions()
	}
	return a.AuditOptions
}

// beside returns the options for a further server of this process, with a file of its own, if there is one: a file
// has one writer.
func (a Audit) beside(name string) Audit {
	if a.AuditOptions == nil || a.LogOptions.Path == "" || a.LogOptions.Path == "-" {
		return a
	}
	o := *a.AuditOptions
	extension := filepath.Ext(o.LogOptions.Path)
	o.LogOptions.Path = strings.TrimSuffix(o.LogOptions.Path, extension) + "-" + name + extension
	return Audit{&o}
}

// LacksPolicy reports whether a log is asked for, and no policy says what is in it.
func (a Audit) LacksPolicy() bool {
	o := a.orNone()
	return o.PolicyFile == "" && (o.LogOptions.Path != "" || o.WebhookOptions.ConfigFile != "")
}

// check refuses flags that make no sense.
func (a Audit) check() error {
	if a.LacksPolicy() {
		return errors.New("--audit-log-path and --audit-webhook-config-file need --audit-policy-file")
	}
	return utilerrors.NewAggregate(a.orNone().Validate())
}
