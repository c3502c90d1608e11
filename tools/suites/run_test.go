package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// The memory of the folder's programs counts while they run, and no other's; they are ended, and no others.
func TestServers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory is read from /proc")
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "etcd")
	if err := os.Symlink(sleep, program); err != nil {
		t.Fatal(err)
	}
	stop, other := watchMemory(folder), watchMemory(filepath.Join(folder, "other"))
	cmd := exec.Command(program, "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); resident(folder) == 0 && time.Since(begin) < 10*time.Second; {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(2 * time.Second) // many looks
	end(filepath.Join(folder, "other"))
	if len(processes(folder)) != 1 {
		t.Error("another folder's servers were ended")
	}
	end(folder)
	if err := cmd.Wait(); err == nil {
		t.Error("the program ended of itself")
	}
	if got := stop(); got < 100<<10 || got > 100<<20 {
		t.Errorf("%d bytes", got)
	}
	if got := other(); got != 0 {
		t.Errorf("another folder's: %d bytes", got)
	}
	if got := resident(folder); got != 0 {
		t.Errorf("after the end: %d bytes", got)
	}
}
