// Command words counts words of ours that stop a stranger, such as "told" or "whoever", in comments and messages of the
// code and in pages, and exits with 1 if there are more of one than limits.txt allows. It does not replace reading: a
// sentence without these words can still be a riddle.
//
//	go run ./tools/words            counts
//	go run ./tools/words -v told    shows the lines that have this word
//	go run ./tools/words -lower     lowers the limits to what is there
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	show := flag.String("v", "", "show the lines that count for this `name` of the limits")
	lower := flag.Bool("lower", false, "lower the limits to what is there; none is raised")
	root := flag.String("C", ".", "`folder` of the repository")
	flag.Parse()
	if err := run(*root, *show, *lower); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

func run(root, show string, lower bool) error {
	file := filepath.Join(root, "tools", "words", "limits.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	words, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	found, err := count(root, words)
	if err != nil {
		return err
	}
	if lower {
		return os.WriteFile(file, []byte(lowered(string(text), words, found)), 0o644)
	}
	var over []string
	for _, w := range words {
		n := len(found[w.name])
		fmt.Printf("%6d of %4d  %s\n", n, w.limit, w.name)
		if w.name == show {
			fmt.Println(strings.Join(found[w.name], "\n"))
		}
		if n > w.limit {
			over = append(over, fmt.Sprintf("%d of %q, %d more than allowed", n, w.name, n-w.limit))
		}
	}
	if over != nil {
		return fmt.Errorf("%s: write it plainly; go run ./tools/words -v NAME shows where", strings.Join(over, "; "))
	}
	return nil
}
