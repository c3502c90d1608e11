package trials

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	text, err := os.ReadFile(filepath.Join(folder, faultFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not the folder of a finding: it has no %s", folder, faultFile)
	}
	if err != nil {
		return nil, err
	}
	var f explore.Fault
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, faultFile), err)
	}
	return &f, f.Check()
}
