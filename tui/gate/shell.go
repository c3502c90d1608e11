package gate

import (
	"kubarium/tui/gates"
	"kubarium/tui/story"
)

// curlAdd adds a rule from a shell.
func (x *Page) curlAdd(line string) string { return x.post(gates.Path, line) }

// post and get ask the server from a shell: with curl, or with kubectl where only a kubeconfig leads there.
func (x *Page) post(path, text string) string {
	url := story.Quote(x.Env.URL + path)
	switch {
	case x.Env.Kubeconfig != "":
		return "printf %s " + story.Quote(text) + " | " + x.Env.Kubectl() + " create --raw " + story.Quote(path) + " -f -"
	case text == "":
		return "curl -X POST " + url
	}
	return "curl --data " + story.Quote(text) + " " + url
}

func (x *Page) get(path string) string {
	if x.Env.Kubeconfig != "" {
		return x.Env.Kubectl() + " get --raw " + story.Quote(path)
	}
	return "curl " + story.Quote(x.Env.URL+path)
}
