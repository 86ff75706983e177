# Only Go is needed; for e2e also python3 with pip, and Java and Maven. `make help` lists the targets.

.DEFAULT_GOAL := help
FUZZTIME ?= 30s
SOAK ?= 20m
SEEDS ?= 2000
STATICCHECK := go tool -modfile=tools/go.mod staticcheck

.PHONY: help run build test race fuzz bench lint chart e2e verify soak docs check cover

help: ## this list
	@sed -n 's/^\([a-z0-9]*\):.*## /\1\t/p' Makefile | expand -t 8

run: ## analyse the bundled sample
	go run ./cmd/flagwatch testdata/logs/sample.log

build: ## the program, static as in the image, into ./flagwatch
	CGO_ENABLED=0 go build -trimpath -o flagwatch ./cmd/flagwatch

test: ## all tests
	go test ./...

race: ## all tests, with the race detector
	go test -race ./...

fuzz: ## every fuzz target for FUZZTIME
	@set -e; for pkg in $$(go list ./...); do \
	  list=$$(go test -list '^Fuzz' $$pkg); \
	  for target in $$(echo "$$list" | grep '^Fuzz' || true); do \
	    echo "$$pkg $$target"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; \
	done

bench: ## speed beside yardsticks and peers, and how soon the agent counts; BENCH=-quick is a short one
	go run ./bench/cmd/bench $(BENCH)
	go test ./internal/agent -run '^$$' -bench '^Benchmark(Latency|CPU|Idle)$$' -benchtime 1x

lint: ## gofmt, vet, staticcheck and the house rules
	@unformatted=$$(gofmt -l .) && if [ -n "$$unformatted" ]; then echo "not formatted:" $$unformatted; exit 1; fi
	go vet ./...
	go vet -tags e2e,soak ./e2e
	go -C tools vet ./...
	go -C tools test ./...
	go -C tools run ./house ..
	$(STATICCHECK) ./...
	$(STATICCHECK) -tags e2e,soak ./e2e

chart: ## Helm's and Kubernetes' view of deploy/; CHART=-update writes the manifests again; needs root for one test
	go -C deploy/check vet ./...
	go -C deploy/check test -count=1 ./... $(if $(CHART),-args $(CHART))

e2e: ## against a real Envoy and a real Kafka, see e2e/README.md; RUN=uf_refused is one scenario, E2E=-update keeps its lines
	go -C e2e test -tags e2e -count=1 -timeout 20m -parallel 6 $(if $(RUN),-run '^TestLab$$/^($(RUN))$$') $(E2E)

verify: ## the tailer's loss verifier with SEEDS random programs
	go test -count=1 -timeout 1h ./internal/tail -run '^TestLossVerifier$$' -seeds $(SEEDS)

soak: ## 20 GB of log in constant memory, the loss verifier with 10,000 programs, then an agent follows pods for SOAK, and members of a Kafka group and brokers are killed for SOAK: nothing may be lost or doubled, memory stays
	go test ./cmd/flagwatch -run '^TestConstantMemory$$' -size 20G -timeout 2h -count=1 -v
	$(MAKE) --no-print-directory verify SEEDS=10000
	SOAK=$(SOAK) go -C e2e test -tags e2e,soak -count=1 -timeout 2h -run '^TestAgentSoak$$' -v
	SOAK=$(SOAK) go -C e2e test -tags e2e -count=1 -timeout 2h -run '^TestKafkaSoak$$' -v

docs: ## write the generated files again (tests named TestGenerated*)
	@set -e; for dir in $$(grep -rl --include='*_test.go' '^func TestGenerated' . | xargs -r -n1 dirname | sort -u); do \
	  go test $$dir -run '^TestGenerated' -update; \
	done

check: ## what a commit must pass; tests may not change the tree
	@set -e; state() { git status --porcelain; git diff; }; \
	before=$$(state); \
	$(MAKE) --no-print-directory lint test; \
	[ "$$before" = "$$(state)" ] || { echo "lint or tests changed the tree:"; git status --short; exit 1; }

cover: ## test coverage by function, into cover.out
	go test -coverprofile=cover.out -coverpkg=./... ./...
	go tool cover -func=cover.out | tail -n 1
