package app

import (
	"os"
	"path/filepath"
	"strings"
)

// kubectlFlags is what kubectl needs to find a server, with a space before it: a kubeconfig if one leads to the server, else the
// address; "" if kubectl finds the server by itself.
func kubectlFlags(address, kubeconfig string) string {
	switch {
	case kubeconfig != "":
		return " --kubeconfig " + quotedForShell(kubeconfig)
	case (address == plainServer || address == "http://localhost:8080") && !hasKubeconfig():
		return ""
	}
	return " -s " + quotedForShell(address)
}

// hasKubeconfig tells whether kubectl has a kubeconfig, which may lead elsewhere.
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

// quotedForShell is a word as a POSIX shell takes it.
func quotedForShell(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,@%+=", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
