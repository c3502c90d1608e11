# A few verbs. Everything is plain Go: "go run ." and "go test ./..." do without this file.

.PHONY: run build release publish-as test lint golden pictures bench

run: ## start the API server and the terminal UI
	go run .

build: ## one static binary, ./kubarium
	CGO_ENABLED=0 go build -trimpath -tags grpcnotrace -o kubarium .

release: ## archives for Linux, macOS and Windows with their checksums, in dist/; VERSION is the tag or commit unless said, URL is where they will be, KEY signs
	go run ./tools/release -version '$(VERSION)' -url '$(URL)' -key '$(KEY)'

publish-as: ## a copy with the module path MODULE in the folder OUT; with VERSION and PROXY, a folder, also what GOPROXY=file://… takes
	go run ./tools/publish -module '$(MODULE)' -out '$(OUT)' -version '$(VERSION)' -proxy '$(PROXY)'

test: ## all tests, with the race detector
	go test -race ./...

lint: ## form and static checks
	gofmt -l .
	go run ./tools/words
	go vet ./...
	go tool -modfile=tools/staticcheck.mod staticcheck ./...

golden: ## replay the recorded answers, show what differs, raise the numbers of passing cases
	go test ./tests/golden -run TestReplay -v -update

pictures: ## draw docs/pictures from a run of README.md and docs, and the golden pictures of every page
	go test ./tests/papers -run Pages -count=1 -pictures
	go test ./tui -run Pictures -pictures

bench: ## the benchmarks
	go test -run '^$$' -bench . -benchmem ./...
