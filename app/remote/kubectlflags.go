package remote

import (
	"os"
	"path/filepath"

	"kubarium/app/cli"
)

// KubectlFlags is what kubectl needs to find a server, with a space before it: a kubeconfig if one leads to the
// server, else the address; "" if kubectl finds the server by itself.
func KubectlFlags(address, kubeconfig string) string {
	switch {
	case kubeconfig != "":
		return " --kubeconfig " + cli.Quote(kubeconfig)
	case (address == Plain || address == "http://localhost:8080") && !hasKubeconfig():
		return ""
	}
	return " -s " + cli.Quote(address)
}

// hasKubeconfig reports whether kubectl has a kubeconfig, which may lead elsewhere.
func hasKubeconfig() bool {
	if os.Getenv("KUBECONFIG") != "" {
		return true
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(home, ".kube", "config"))
	return err == nil
}
