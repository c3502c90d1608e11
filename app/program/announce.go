package program

import (
	"path/filepath"
	"time"

	"kubarium/app/home"
	"kubarium/app/running"
	"kubarium/app/version"
)

// announce lets the Program be found among the running servers of its user. A Program that cannot announce itself
// runs all the same.
//
// Only the user of this process can read the file, and that user may do everything on the plain port without it.
// Where there is no plain port, the file has a token for that, which ends with the process; no key or certificate
// that is good for longer leaves its place.
func (p *Program) announce() {
	if p.config.Announce == "" {
		return
	}
	db := p.DB
	if path, err := filepath.Abs(db); err == nil && db != ":memory:" {
		db = path
	}
	s := running.Server{URL: p.URL, Secure: p.Secure, DB: db, Since: time.Now().Round(0), What: p.config.Announce, Version: version.String()}
	if token := p.credentials.admin; token != "" {
		s.Token, s.CA, s.Name = token, string(p.certificate.ca.PEM()), ownName
	}
	withdraw, err := running.Announce(home.Running(), s)
	if err != nil {
		p.logger.Debug("not found among the running servers", "error", err)
		return
	}
	p.closers.push(func() error { withdraw(); return nil })
}
