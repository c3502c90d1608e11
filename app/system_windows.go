package app

import "golang.org/x/sys/windows"

// noFollow opens a link itself, not what it leads to.
const noFollow = windows.O_FILE_FLAG_OPEN_REPARSE_POINT
