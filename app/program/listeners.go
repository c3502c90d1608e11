package program

import (
	"net"
	"slices"

	"kubarium/app/port"
)

// listeners are the ports of a Program.
type listeners struct {
	plain   net.Listener // on the loopback interface; nil for none
	secure  net.Listener // HTTPS; nil for none
	command net.Listener // a plain one for a command; nil for none
}

// openListeners takes the ports.
func openListeners(c Config) (l listeners, err error) {
	if c.past {
		return listeners{plain: newInProcess()}, nil
	}
	if c.Listen != "" {
		if l.plain, err = port.Listen(c.Listen, "--listen"); err != nil {
			return l, err
		}
	}
	if c.Secure.Listen != "" {
		l.secure, err = port.Listen(c.Secure.Listen, "--secure-listen")
	}
	if c.Command && err == nil {
		l.command, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		l.close()
	}
	return l, err
}

// all are those that there are.
func (l listeners) all() []net.Listener {
	return slices.DeleteFunc([]net.Listener{l.plain, l.secure, l.command}, func(l net.Listener) bool { return l == nil })
}

func (l listeners) close() {
	for _, l := range l.all() {
		l.Close()
	}
}

// urls are where the server is found: on the plain port if there is one, and by HTTPS, "" without.
func (l listeners) urls() (url, secure string) {
	if l.secure != nil {
		secure = "https://" + reachable(l.secure.Addr())
	}
	if l.plain == nil {
		return secure, secure
	}
	return "http://" + l.plain.Addr().String(), secure
}
