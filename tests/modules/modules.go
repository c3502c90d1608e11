// Package modules runs the tests that go test ./... does not include: those of other modules in this repository, and
// those of the Python package. It has tests only.
package modules
