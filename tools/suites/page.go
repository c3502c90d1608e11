package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// A row is what the table says of a suite.
type row struct {
	suite
	real, kubarium []result
}

// The columns of the table. A page needs this header to get rows.
const header = "| project, commit | tests | kube-apiserver | Kubarium | time | memory |"

func (r row) String() string {
	packages := "`" + strings.Join(slices.Concat(r.Packages, r.Flags), "` `") + "`"
	if r.Folder != "" {
		packages = "`" + r.Folder + "`: " + packages
	}
	return fmt.Sprintf("| [%s](https://github.com/%s/tree/%s), %.10s | %s | %s | %s | %s | %s |", r.Name, r.Repository, r.Commit, r.Commit, packages,
		verdicts(r.real), verdicts(r.kubarium), pair(r.real, r.kubarium, seconds), pair(r.real, r.kubarium, mebibytes))
}

// verdicts says how many tests passed and failed, with each number that a round had.
func verdicts(rounds []result) string {
	var all []string
	for _, r := range rounds {
		text := fmt.Sprint(r.passed)
		if len(r.failed) > 0 {
			text += fmt.Sprintf(", %d failed", len(r.failed))
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

func seconds(r result) float64   { return r.time.Seconds() }
func mebibytes(r result) float64 { return float64(r.memory) / (1 << 20) }

// pair shows the medians of a figure: kube-apiserver's, then Kubarium's.
func pair(real, kubarium []result, of func(result) float64) string {
	unit := map[bool]string{true: "s", false: "MiB"}[of(result{time: time.Second}) > 0]
	return fmt.Sprintf("%s → %s %s", number(median(real, of)), number(median(kubarium, of)), unit)
}

func median(rounds []result, of func(result) float64) float64 {
	var all []float64
	for _, r := range rounds {
		all = append(all, of(r))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func number(f float64) string {
	if f < 10 {
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// writeRow puts a row into the table of a page: in the place of the project's row, or as the last one.
func writeRow(page string, r row) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	i := slices.Index(lines, header)
	if i < 0 {
		return fmt.Errorf("%s has no table with the header %q", page, header)
	}
	for i += 2; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
		if strings.HasPrefix(lines[i], "| ["+r.Name+"]") {
			lines = slices.Delete(lines, i, i+1)
			break
		}
	}
	return os.WriteFile(page, []byte(strings.Join(slices.Insert(lines, i, r.String()), "\n")), 0o644)
}
