// Package several proves what several servers of one etcd cluster are to their clients: one API. It has tests only.
package several
