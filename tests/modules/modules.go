// Package modules runs the tests of the modules beside this one, which go test ./... does not enter. It has tests only.
package modules
