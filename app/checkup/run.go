package checkup

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"kubarium/analysis/doctor"
	"kubarium/app/child"
	"kubarium/app/cli"
	"kubarium/app/program"
	"kubarium/app/remedy"
	"kubarium/app/runs"
)

// runCommand runs a command against a server of its own, and examines what it asked for: of that server, and of those
// that it started itself by KUBEBUILDER_ASSETS. The error is the command's exit code, if that is not 0.
func (d *Checkup) runCommand(ctx context.Context, in io.Reader, out, errs io.Writer) (*doctor.Report, error) {
	folder, err := os.MkdirTemp("", "kubarium-doctor-")
	if err != nil {
		return nil, remedy.Add(err, remedy.Temporary)
	}
	defer os.RemoveAll(folder)
	p, err := child.Start(ctx, program.Record{}, false, cli.NewLogger(errs))
	if err != nil {
		return nil, err
	}
	environment, err := child.Environment(p.URL, folder, child.Runs(folder))
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	who := d.admit("the command", p.Log.Stats().Published)
	done, followed := make(chan struct{}), make(chan struct{})
	go func() {
		followLog(p.Log, who, done)
		close(followed)
	}()
	ran := child.Run(ctx, d.command, environment, in, out, errs)
	err = p.Close() // requests under way are recorded
	close(done)
	<-followed
	if code := cli.ExitCode(0); ran != nil && !errors.As(ran, &code) {
		return nil, ran
	}
	if err != nil {
		return nil, err
	}
	reports, err := d.readStarted(folder, errs)
	all := doctor.Join(append(reports, who.Report())...)
	if all.Flows == 0 && err == nil {
		cli.Printf(errs, "kubarium: the command sent nothing to this server: does it read KUBECONFIG?\n")
	}
	return all, errors.Join(err, ran)
}

// readStarted examines the flows of servers that a command started, each by itself.
func (d *Checkup) readStarted(folder string, errs io.Writer) (reports []*doctor.Report, err error) {
	files, err := child.Recordings(child.Runs(folder))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		who := d.admit(filepath.Base(file), 0)
		if err := examine(runs.Read(file, nil), who); err != nil && !errors.As(err, &runs.Partial{}) { // one that was killed has no end
			cli.Printf(errs, "kubarium: the record of a server of the command: %v\n", err)
		}
		reports = append(reports, who.Report())
	}
	return reports, nil
}
