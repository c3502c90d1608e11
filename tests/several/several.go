// Package several tests that several servers on one etcd cluster are one API for their clients. It has tests only.
package several
