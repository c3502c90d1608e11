package app

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	rbacv1 "k8s.io/api/rbac/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"kubarium/analysis/role"
	"kubarium/app/cli"
	"kubarium/app/runs"
	"kubarium/flow"
	"kubarium/flow/filter"
)

// A proof is what "kubarium role" was asked for.
type proof struct {
	client, name, granted string
}

func newRole() *cobra.Command {
	var p proof
	cmd := &cobra.Command{
		Use:   "role RUN... --client FILTER",
		Short: "Print the smallest Role and ClusterRole that recorded runs prove",
		Long: `Read recorded runs and print, as YAML, the smallest roles that allow what clients asked for in them: a ClusterRole for cluster-scoped
objects and for those of all namespaces, and a Role in each namespace for the rest. With --granted the roles of a file are compared:
what they grant and no request used is listed as comments.

The runs must have all that a controller ever does: a test suite with good coverage, a start, an upgrade, a deletion. A RUN is a file
that "kubarium export" or --record wrote; "-" is standard input.`,
		Example: `  KUBARIUM_RECORD=runs go test ./...
  kubarium role runs/*.kubarium --client ua:manager --granted config/rbac/role.yaml`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.run(args, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.client, "client", "", "filter of the requests that count, as ua:manager; default all except kubectl's and Kubarium's own")
	f.StringVar(&p.name, "name", "proven", "name of the roles")
	f.StringVar(&p.granted, "granted", "", "file with the roles that are granted today")
	return cmd
}

func (p *proof) run(files []string, in io.Reader, out io.Writer) error {
	match, err := filter.Parse(p.client)
	if err != nil {
		return cli.Misuse(fmt.Errorf("--client: %w", err))
	}
	var granted []rbacv1.PolicyRule
	if p.granted != "" {
		if granted, err = readRules(p.granted); err != nil {
			return cli.Misuse(fmt.Errorf("--granted: %w", err))
		}
	}
	var flows []*flow.Flow
	for _, file := range files {
		for f, err := range runs.Read(file, in) {
			if err != nil {
				return cli.Misuse(err)
			}
			if !f.Client.Own() && match.Match(f) && (p.client != "" || f.Client.Session == "") {
				flows = append(flows, f)
			}
		}
	}
	uses := role.Uses(flows)
	if len(uses) == 0 {
		return errors.New("no request of the runs needs a right; --client says whose requests count")
	}
	return p.print(out, uses, granted)
}

// print prints the roles, and what is granted beyond them.
func (p *proof) print(out io.Writer, uses map[role.Use]int, granted []rbacv1.PolicyRule) error {
	var all []any
	cluster, roles := role.Roles(uses, p.name)
	if cluster != nil {
		all = append(all, cluster)
	}
	for _, r := range roles {
		all = append(all, r)
	}
	for i, o := range all {
		text, err := yaml.Marshal(o)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(out, "---")
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	if p.granted == "" {
		return nil
	}
	unused := role.Unused(granted, uses)
	fmt.Fprintf(out, "# granted in %s, and used by no request: %d\n", p.granted, len(unused))
	for _, line := range unused {
		fmt.Fprintf(out, "#   %s\n", line)
	}
	return nil
}

// readRules are the rules of all Roles and ClusterRoles of a file.
func readRules(file string) (rules []rbacv1.PolicyRule, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	found := false
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var r rbacv1.ClusterRole // a Role has the same fields
		if err == nil {
			err = yaml.Unmarshal(document, &r)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if slices.Contains([]string{"Role", "ClusterRole"}, r.Kind) {
			rules, found = append(rules, r.Rules...), true
		}
	}
	if !found {
		return nil, fmt.Errorf("%s has no Role and no ClusterRole", file)
	}
	return rules, nil
}
