//go:build !race

package filter_test

const underRace = false
