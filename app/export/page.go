package export

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/html"
	"kubarium/app/record"
	"kubarium/app/runs"
	"kubarium/app/trials"
	"kubarium/app/version"
)

// page writes a run, two runs side by side, or a finding of explore, as a page for a browser.
func (e *Export) page(cmd *cobra.Command) error {
	o := html.Options{Version: version.String(), Own: e.Own, Compare: e.Other != ""}
	files := []string{e.File}
	if e.Other != "" {
		files = append(files, e.Other)
	}
	if info, err := os.Stat(e.File); err == nil && info.IsDir() {
		if o.About, err = trials.Story(e.File); errors.Is(err, fs.ErrNotExist) || e.Other != "" {
			return cli.Misuse(fmt.Errorf("%s is a folder, and not that of a finding of explore", e.File))
		} else if err != nil {
			return err
		}
		o.Title, o.Compare, o.Open = "Finding "+filepath.Base(e.File), true, "compare"
		files = []string{filepath.Join(e.File, trials.Base+record.Extension), filepath.Join(e.File, trials.Faulty+record.Extension)}
	}
	var sources []html.Source
	var names []string
	for _, file := range files {
		s, err := e.read(cmd, file)
		if err != nil {
			return err
		}
		sources, names = append(sources, s), append(names, s.Name)
	}
	if len(names) == 2 && names[0] == names[1] {
		for i := range sources {
			names[i], sources[i].Name = files[i], files[i]
		}
	}
	o.Title = cmp.Or(o.Title, strings.Join(names, " – "))
	return runs.WriteTo(e.Out, cmd.OutOrStdout(), func(w io.Writer) error { return html.Write(w, o, sources...) })
}

// read reads the requests of a run that are wanted, as a whole; of the server's if there is no file.
func (e *Export) read(cmd *cobra.Command, file string) (html.Source, error) {
	one := *e
	one.File = file
	source, err := one.source(cmd)
	if err != nil {
		return html.Source{}, err
	}
	p := &picked{Export: &one, source: source}
	s := html.Source{Name: filepath.Base(file)}
	if file == "" {
		s.Name = one.URL
	}
	limit := runs.LimitMemory().Half()
	for f := range p.flows {
		s.Flows = append(s.Flows, f)
		if err := limit.Exceeded(); err != nil {
			cli.Printf(e.Errs, "kubarium: %s: %v; %d requests are written\n", file, err, len(s.Flows))
			break
		}
	}
	s.Missed = p.missed
	return s, p.failed
}
