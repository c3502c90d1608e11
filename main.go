// Kubarium is the Kubernetes API under glass: a complete Kubernetes API server on embedded SQLite, and a terminal UI
// that shows every request at work.
package main

func main() {}
