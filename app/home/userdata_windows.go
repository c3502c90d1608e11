package home

import "os"

// userData is where programs keep the data of their user: %LocalAppData%, which Go names after caches. Others than that
// user and administrators cannot read what is in it.
func userData() (string, error) { return os.UserCacheDir() }
