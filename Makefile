# make demo   set up, build, and generate tests for a real library and for our own examples
# make test   set up, build, and run every fast check (formatting, clippy, unit and end-to-end tests)
# Both are safe to repeat. `make help` lists the rest.

export PATH := $(PATH):$(HOME)/.cargo/bin
CARGO ?= cargo
BOTHWAYS = target/release/bothways
PREFIX ?= /usr/local
DESTDIR ?=
ROOT = $(DESTDIR)$(PREFIX)
CARGO_DEB = 3.8.0

.PHONY: help setup build install deb demo test test-long bench docs format lint unit e2e clean

help:
	@echo "setup      install the system packages (Debian 12; root or sudo)"
	@echo "build      build target/release/bothways and its runtime"
	@echo "install    install what was built under PREFIX (/usr/local): bothways, bothways-cc, bothways-c++, man pages, completions"
	@echo "deb        a Debian package of it, in target/debian"
	@echo "demo       generate tests for cJSON (Debian source package) and for examples/"
	@echo "test       formatting, clippy, unit tests, end-to-end tests"
	@echo "test-long  test, and the long differential checks"
	@echo "docs       write the parts of the pages that come from registries"
	@echo "bench      overhead, throughput and solver figures"

setup:
	@tools/setup.sh

build: setup
	$(CARGO) build --release --locked --workspace

# Builds nothing: it may run as another user than the build.
install:
	install -d $(ROOT)/bin $(ROOT)/share/man/man1 $(ROOT)/share/bash-completion/completions
	install -d $(ROOT)/share/zsh/site-functions $(ROOT)/share/fish/vendor_completions.d
	install -m 755 $(BOTHWAYS) $(ROOT)/bin/bothways
	ln -sf bothways $(ROOT)/bin/bothways-cc
	ln -sf bothways $(ROOT)/bin/bothways-c++
	$(ROOT)/bin/bothways man $(ROOT)/share/man/man1
	$(ROOT)/bin/bothways completions bash > $(ROOT)/share/bash-completion/completions/bothways
	$(ROOT)/bin/bothways completions zsh > $(ROOT)/share/zsh/site-functions/_bothways
	$(ROOT)/bin/bothways completions fish > $(ROOT)/share/fish/vendor_completions.d/bothways.fish

# A package for Debian 12, in target/debian. What it holds is what `install` installs.
deb: build
	rm -rf target/package
	$(MAKE) install DESTDIR=target/package/ PREFIX=usr
	CARGO=$(CARGO) tools/deb.sh $(CARGO_DEB)

demo: build
	tools/demo.sh

format: setup
	$(CARGO) fmt --all --check

lint: format
	$(CARGO) clippy --locked --workspace --all-targets --release -- -D warnings

# Tests are built with checks of arithmetic, for the release's program. One command builds and runs all of them: two would build
# dependencies twice.
unit: build
	tools/cargo-test.sh --locked --workspace --exclude e2e

e2e: build
	tools/cargo-test.sh --locked -p e2e

# Checks what `lint` does but for the benchmarks, while the tests are built.
test: format build
	tools/linted-tests.sh --locked --workspace

test-long: test
	BOTHWAYS_LONG=1 tools/cargo-test.sh --locked -p e2e
	tools/mutants.sh
	tools/mutants-values.sh

docs: build
	UPDATE_EXPECT=1 $(CARGO) test --locked -q -p explore -- the_manual_has_every_page
	UPDATE_EXPECT=1 $(CARGO) test --locked -q -p e2e --test suites -- arrows:: pages:: registries::

bench: build
	bench/run foundation

clean:
	$(CARGO) clean
	rm -rf build bothways-out
