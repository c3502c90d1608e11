// Package book makes HTML pages of lessons: each lesson is played against a server, and its page shows the requests that
// were sent and the answers that came, with the lesson's words.
//
// A page is one file without scripts that loads nothing, which its Content-Security-Policy enforces too. All texts are escaped by
// gomponents, not by html/template, for which the linker would keep every method of every type.
// Secrets are masked as in recordings. Times, names that a server makes up and resourceVersions differ from run to run.
package book
