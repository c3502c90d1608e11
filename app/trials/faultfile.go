package trials

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"kubarium/analysis/explore"
)

// The files of a finding.
const (
	faultFile   = "fault.json"
	storyFile   = "README.txt"
	commandFile = "command.sh"
)

// readFault reads the fault of a finding.
func readFault(folder string) (*explore.Fault, error) {
	var f explore.Fault
	err := readJSON(filepath.Join(folder, faultFile), &f)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not the folder of a finding: it has no %s", folder, faultFile)
	}
	if err != nil {
		return nil, err
	}
	return &f, f.Check()
}
