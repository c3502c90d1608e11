//go:build unix

package app

import "syscall"

// noFollow opens a file, not what a link in its place leads to.
const noFollow = syscall.O_NOFOLLOW
