package shop

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
)

// Main is the command shopkeeper. It returns the exit code: 2 for what was asked wrongly, 1 for what went wrong.
func Main(ctx context.Context, args []string, out, errs io.Writer) int {
	var text, namespace string
	f := pflag.NewFlagSet("shopkeeper", pflag.ContinueOnError)
	f.SetOutput(errs)
	f.Usage = func() {
		fmt.Fprintf(out, "shopkeeper [play] [flags]\n\n"+
			"KUBECONFIG leads to the server. Without play it is the controller.\n\n%s", f.FlagUsages())
	}
	f.StringVar(&text, "mistakes", allMistakes(), "mistakes that the controller makes, or none")
	f.StringVar(&namespace, "namespace", "default", "namespace of the shops")
	switch err := f.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case err != nil:
		return fail(errs, err, 2)
	case f.NArg() > 1 || f.NArg() == 1 && f.Arg(0) != "play":
		return fail(errs, fmt.Errorf("unexpected argument %q", f.Arg(f.NArg()-1)), 2)
	}
	mistakes, err := ParseMistakes(text)
	if err != nil {
		return fail(errs, err, 2)
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return fail(errs, err, 1)
	}
	if f.NArg() == 1 {
		err = Play(ctx, config, namespace)
	} else {
		err = Run(ctx, config, namespace, mistakes...)
	}
	if err != nil && ctx.Err() == nil {
		return fail(errs, err, 1)
	}
	return 0
}

func fail(errs io.Writer, err error, code int) int {
	fmt.Fprintf(errs, "shopkeeper: %v\n", err)
	return code
}
