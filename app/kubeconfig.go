package app

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"kubarium/app/pki"
)

func newKubeconfig() *cobra.Command {
	var address, file string
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print a kubeconfig for the running server",
		Long:  "Print a kubeconfig for the running server, or with --out merge it into a file. kubectl finds the default address without one.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				text, err := yaml.Marshal(mergeKubeconfig(map[string]any{}, address))
				if err == nil {
					_, err = cmd.OutOrStdout().Write(text)
				}
				return err
			}
			return writeKubeconfig(file, address)
		},
	}
	cmd.Flags().StringVar(&address, "server", "http://127.0.0.1:8080", "address of the server")
	cmd.Flags().StringVar(&file, "out", "", "merge into this file instead of printing")
	return cmd
}

// writeKubeconfig merges Kubarium's entries into a kubeconfig, and leaves everything else in it as it is.
func writeKubeconfig(file, address string) error {
	config := map[string]any{}
	text, err := os.ReadFile(file)
	switch {
	case os.IsNotExist(err):
	case err != nil:
		return err
	default:
		if err := yaml.Unmarshal(text, &config); err != nil {
			return fmt.Errorf("%s is no kubeconfig: %w", file, err)
		}
	}
	text, err = yaml.Marshal(mergeKubeconfig(config, address))
	if err != nil {
		return err
	}
	return pki.WriteFile(file, text)
}

// mergeKubeconfig puts cluster, user and context "kubarium" into a kubeconfig and makes it the current one.
func mergeKubeconfig(config map[string]any, address string) map[string]any {
	const name = "kubarium"
	config["apiVersion"], config["kind"] = "v1", "Config"
	config["clusters"] = mergeNamed(config["clusters"], map[string]any{"name": name, "cluster": map[string]any{"server": address}})
	config["users"] = mergeNamed(config["users"], map[string]any{"name": name, "user": map[string]any{}})
	config["contexts"] = mergeNamed(config["contexts"], map[string]any{"name": name, "context": map[string]any{"cluster": name, "user": name}})
	config["current-context"] = name
	return config
}

// mergeNamed replaces the entry of the same name, or appends.
func mergeNamed(list any, entry map[string]any) []any {
	entries, _ := list.([]any)
	for i, e := range entries {
		if m, ok := e.(map[string]any); ok && m["name"] == entry["name"] {
			entries[i] = entry
			return entries
		}
	}
	return append(entries, entry)
}
