// Command kubectl is the stock kubectl of this module's Kubernetes version, for the end-to-end tests of a machine that
// has none.
package main

import (
	"os"

	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	if err := cmd.NewDefaultKubectlCommand().Execute(); err != nil {
		os.Exit(1)
	}
}
