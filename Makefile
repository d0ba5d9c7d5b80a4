# GeoService. `make run` and `make test` do all that is needed first, on a bare Debian 12 with
# Swift 6.3: `make help` lists the targets.

SWIFT := scripts/swift
# More arguments for the program that a target starts: make run ARGS="--listen 127.0.0.1:9000"
ARGS :=

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help deps build run test swift-test python-test lint format bench clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

deps: ## Install the Debian packages to build and test with
	@scripts/install-packages run test

build: ## Build the service (release)
	@scripts/install-packages run
	@echo "==> Building geoservice (the first time takes some minutes)"
	$(SWIFT) build -c release --product geoservice

run: build ## Serve the map of a living demo city on http://127.0.0.1:8080
	.build/release/geoservice serve --demo $(ARGS)

test: deps build swift-test python-test ## Run all tests
	@echo "==> All tests passed"

swift-test:
	@echo "==> Tests in Swift"
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --skip GeoServiceTests
# What waits for sockets and deadlines gets the machine for itself.
	$(SWIFT) test --skip-build --filter GeoServiceTests --no-parallel

python-test:
	@echo "==> Tests over HTTP, in a browser and with other programs"
	scripts/python-tests

lint: ## Check the style of all sources and build without a warning
	$(SWIFT) format lint --strict --parallel --recursive Sources Tests bench Package.swift
	scripts/lint-scripts
# A target may import only what it reaches along the arrows of Package.swift.
	$(SWIFT) build --build-tests --explicit-target-dependency-import-check error

format: ## Lay out the Swift sources as `make lint` wants them
	$(SWIFT) format --in-place --parallel --recursive Sources Tests bench Package.swift

bench: ## Run the benchmarks, with their peers beside them
	@scripts/install-packages run bench
	@scripts/install-packages peers || echo "==> Going on without those peers" >&2
	@echo "==> Building the service and the benchmarks (the first time takes some minutes)"
	$(SWIFT) build -c release --product geoservice
	$(SWIFT) build -c release --product GeoBench
	scripts/bench $(ARGS)

clean: ## Remove what was built (never ./geodata)
	rm -rf .build .venv
