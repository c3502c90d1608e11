// Command kubectl is the stock kubectl of this module's Kubernetes version, for end-to-end tests on a machine without
// kubectl, and for the archives of tools/release.
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
