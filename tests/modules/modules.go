// Package modules runs the tests of other modules in this repository, which go test ./... does not include. It has
// tests only.
package modules
