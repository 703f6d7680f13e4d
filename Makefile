# SPDX-License-Identifier: MIT OR Apache-2.0
#
#   make            the libraries and the program
#   make demo       a real 2 KiB sector: parameters, proof through libcuzk.so, verification
#   make test       every test there is, but for the next two
#   make test-consumers   software built on supraseal-c2 (bellperson, filecoin-proofs, ...), on cuzk
#   make test-aggregation   a real non-interactive sector, aggregated: minutes
#   make bench      the measurements
#   make soak       mixed work from C and Go for SOAK_MINUTES=30: nothing wrong, nothing lost
#   make fuzz       searches for inputs that break the library, FUZZ_SECONDS at each door
#   make device-build   programs for a GPU machine, in .cache/device; gpu-tests.sh there runs them
#   make circuits   the compiled circuits that the library carries, anew from the circuits
#   make header     include/ anew from src/ffi and compat/supraseal-c-abi
#   make format     every source formatted
#   make install PREFIX=/usr/local DESTDIR=   and `make uninstall`

PREFIX ?= /usr/local
DESTDIR ?=
CARGO ?= cargo
STRIP ?= strip
CARGO_TARGET_DIR ?= target
export CARGO_TARGET_DIR := $(abspath $(CARGO_TARGET_DIR))

ABI := $(shell sed -n 's/^pub const CUZK_ABI_VERSION: u32 = \([0-9]*\);$$/\1/p' src/ffi/version.rs)
VERSION := $(shell sed -n 's/^version = "\([0-9.]*\)"$$/\1/p' Cargo.toml | head -n 1)
SONAME := libcuzk.so.$(ABI)

# What is built here for C: git ignores the folder.
CACHE := $(CURDIR)/.cache
DIST := $(CACHE)/dist
# Parameters for development (1.1 GB), made once; the tests use them too.
PARAMS := $(CARGO_TARGET_DIR)/tmp/parameters

.PHONY: all
all: library program

# The package is an rlib, for Rust dependents and for the program; the shared and the static
# library are the same crate linked in two more ways, on the same compiled dependencies. The shared
# one is never unloaded (nodelete): its threads may run when a program closes it.
.PHONY: library
library:
	$(CARGO) rustc --release --lib --crate-type cdylib,staticlib -- \
	    -C link-arg=-Wl,-soname,$(SONAME) -C link-arg=-Wl,-z,nodelete
	install -d $(DIST)/lib
	install -m 755 $(CARGO_TARGET_DIR)/release/libcuzk.so $(DIST)/lib/$(SONAME)
	ln -sf $(SONAME) $(DIST)/lib/libcuzk.so
	install -m 644 $(CARGO_TARGET_DIR)/release/libcuzk.a $(DIST)/lib/libcuzk.a
	# Its context lives as long as the process: dlclose() must not take the code from its threads.
	$(CARGO) rustc --release -p supraseal-c-abi --lib --crate-type cdylib -- \
	    -C link-arg=-Wl,-soname,libsupraseal_c2.so -C link-arg=-Wl,-z,nodelete
	install -m 755 $(CARGO_TARGET_DIR)/release/libsupraseal_c_abi.so $(DIST)/lib/libsupraseal_c2.so

.PHONY: header
header:
	CUZK_BLESS=1 $(CARGO) test --release --test header
	CUZK_BLESS=1 $(CARGO) test --release -p supraseal-c-abi --test header

# A minute of both cores; the library is built with the new ones by the next make.
.PHONY: circuits
circuits: program
	for size in 2KiB 8MiB 512MiB 32GiB 64GiB; do \
	    $(DIST)/bin/cuzk compile-circuit --sector-size $$size \
	        --out src/filecoin/circuits/$$size.circuit || exit 1; \
	done

.PHONY: program
program:
	$(CARGO) build --release --bin cuzk
	install -d $(DIST)/bin
	install -m 755 $(CARGO_TARGET_DIR)/release/cuzk $(DIST)/bin/cuzk

# A real sector of 2 KiB, by the C program ffi-tests/prove.c against libcuzk.so; filecoin-proofs'
# verify_seal has the last word.
.PHONY: demo
demo: library program parameters
	$(MAKE) -s -C ffi-tests prove DIST=$(DIST)
	FIL_PROOFS_PARAMETER_CACHE=$(PARAMS) $(CACHE)/ffi-tests/shared/prove \
	    tests/vectors/c1/2kib-v1_1.json 42 1000 $(CACHE)/demo.proof
	CUZK_PROOF=$(CACHE)/demo.proof $(CARGO) test --quiet --release --test c_program

.PHONY: parameters
parameters: program
	@ls $(PARAMS)/*.meta >/dev/null 2>&1 || \
	    $(DIST)/bin/cuzk setup --sector-size 2KiB --dir $(PARAMS)
	@ls $(PARAMS)/*.srs >/dev/null 2>&1 || \
	    $(DIST)/bin/cuzk setup --aggregation --dir $(PARAMS)

.PHONY: test test-rust test-c test-device test-go test-python test-node
test: test-rust test-c test-bellperson test-device test-go test-python test-node

test-rust:
	.ci/tools strace
	$(CARGO) test --release --workspace

# tests/small_circuit writes the circuit that the C programs prove.
test-c: library parameters
	.ci/tools valgrind qemu-x86_64
	$(CARGO) test --quiet --release --test small_circuit
	$(MAKE) -C ffi-tests check DIST=$(DIST)
	$(MAKE) -C ffi-tests real-sector DIST=$(DIST) PARAMS=$(PARAMS)

# The binding, with the race detector and the strictest checks of pointers given to C.
test-go: library parameters
	.ci/tools go staticcheck
	cd go-binding && $(GO_ENV) go vet ./... && $(GO_ENV) $(CACHE)/tools/staticcheck ./...
	cd go-binding && $(GO_ENV) GOEXPERIMENT=cgocheck2 CUZK_TEST_PARAMETERS=$(PARAMS) \
	    go test -race -count=1 -timeout 30m ./...

GO_ENV := CGO_LDFLAGS="-L$(DIST)/lib -Wl,-rpath,$(DIST)/lib"

# Thirteen partitions of a sector, and filecoin-proofs' word on their aggregates.
.PHONY: test-aggregation
test-aggregation:
	$(CARGO) test --release --test non_interactive -- --ignored

# Programs that load the library while they run.
PROVE_ARGUMENTS = $(DIST)/lib/$(SONAME) $(CURDIR)/tests/vectors/c1/2kib-v1_1.json 42 1000 $(PARAMS)

test-python: library parameters
	python3 ffi-tests/python/prove.py $(PROVE_ARGUMENTS)

test-node: library parameters
	.ci/tools npm
	cd ffi-tests/node && npm ci --silent --ignore-scripts --no-audit --no-fund && node prove.mjs $(PROVE_ARGUMENTS)

# Two programs at once, in C on the small circuit and on sectors, in Go on sectors. libc keeps no
# free memory in arenas of its threads meanwhile, which would be taken for the library's.
SOAK_MINUTES ?= 30
.PHONY: soak
soak: library parameters
	.ci/tools go
	$(CARGO) test --quiet --release --test small_circuit
	$(MAKE) -s -C ffi-tests soak DIST=$(DIST)
	cd go-binding && $(GO_ENV) go build -o $(CACHE)/soak-go ./internal/soak
	@sector="$(CURDIR)/tests/vectors/c1/2kib-v1_1.json 42 1000 $(PARAMS)"; \
	seconds=$$((60 * $(SOAK_MINUTES))); \
	export MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072; \
	$(CACHE)/ffi-tests/shared/soak $(CACHE)/small-circuit $$seconds $$sector & in_c=$$!; \
	$(CACHE)/soak-go $$seconds $$sector; in_go=$$?; \
	wait $$in_c && test $$in_go -eq 0

# Unchanged software on the facades of compat/, in workspaces of its own. docs/supraseal.md has what
# each shows. The C program that stands on libsupraseal_c2.so is one of test-c's.
.PHONY: test-consumers test-bellperson test-curio test-filecoin-proofs test-go-consumer
test-consumers: test-c test-bellperson test-curio test-filecoin-proofs test-go-consumer

# Not CONSUMERS: device-build is told by that name what to build.
CONSUMER_FOLDER := $(CURDIR)/compat/consumers
RUST_CONSUMERS := $(addprefix $(CONSUMER_FOLDER)/,bellperson curio filecoin-proofs)

test-bellperson:
	cd $(CONSUMER_FOLDER)/bellperson && $(CARGO) test --release -p bellperson-0-26-consumer
	cd $(CONSUMER_FOLDER)/bellperson && $(CARGO) test --release -p bellperson-0-27-consumer

test-curio:
	cd compat/supraseal-c2-curio && $(CARGO) test --release
	cd $(CONSUMER_FOLDER)/curio && $(CARGO) test --release

# filecoin-proofs' crates compile kernels of their own and link the driver. Stubs stand for both on
# machines without: CUDA_STUBS=0 takes the real ones.
CUDA_STUBS ?= 1
STUBS := $(CACHE)/stubs
ifeq ($(CUDA_STUBS),1)
FILECOIN_ENV := PATH="$(STUBS)/bin:$$PATH" CUDA_LIBRARY_PATH=$(STUBS) \
    LD_LIBRARY_PATH="$(STUBS)/lib64:$$LD_LIBRARY_PATH" CUZK_CUDA=0
endif

test-filecoin-proofs: parameters $(STUBS)/lib64/libcuda.so $(STUBS)/bin/nvcc
	cd $(CONSUMER_FOLDER)/filecoin-proofs && $(FILECOIN_ENV) $(CARGO) test --release -- --test-threads 1

$(STUBS)/lib64/libcuda.so: $(CONSUMER_FOLDER)/stubs/libcuda.c
	install -d $(STUBS)/lib64
	$(CC) -shared -fPIC -O1 -Wall -Werror -Wl,-soname,libcuda.so.1 $< -o $@.1
	ln -sf libcuda.so.1 $@

$(STUBS)/bin/nvcc: $(CONSUMER_FOLDER)/stubs/nvcc
	install -D -m 755 $< $@

test-go-consumer: library parameters
	.ci/tools go
	cd $(CONSUMER_FOLDER)/go && $(GO_ENV) FIL_PROOFS_PARAMETER_CACHE=$(PARAMS) CUZK_BACKEND=cpu \
	    go test -count=1 ./...

# Device code on the host, no CUDA needed.
test-device:
	$(MAKE) -C cuda test-host OUT=$(CACHE)/cuda

# Coverage-guided, on a stable compiler. What is new comes to .cache/fuzz; an input that breaks the
# library lies there beside the folders, is printed, and ends the search of its door.
FUZZ_SECONDS ?= 600
.PHONY: fuzz
fuzz: library parameters
	RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/fuzz/instrumented-rustc \
	    $(CARGO) build --release --package cuzk-fuzz --features libfuzzer --bins
	for door in c1 parameters circuit calls; do \
	    mkdir -p $(CACHE)/fuzz/$$door && CUZK_FUZZ_SEEDS=$(CACHE)/fuzz/$$door \
	        $(CARGO_TARGET_DIR)/release/fuzz-$$door -max_total_time=$(FUZZ_SECONDS) -max_len=8192 \
	        -timeout=20 -rss_limit_mb=4096 -artifact_prefix=$(CACHE)/fuzz/$$door- \
	        $(CACHE)/fuzz/$$door || exit 1; \
	done
	cd go-binding && $(GO_ENV) CUZK_TEST_PARAMETERS=$(PARAMS) \
	    go test -run FuzzPhase1Output -fuzz FuzzPhase1Output -fuzztime $(FUZZ_SECONDS)s .

# CONSUMERS=1 adds software on the facades, PEER=1 what stands beside supraseal-c2.
.PHONY: device-build
device-build:
	scripts/device-build.sh

.PHONY: bench
bench: program parameters
	$(CARGO) bench --bench c2_vs_bellperson
	$(DIST)/bin/cuzk bench --c1 tests/vectors/c1/2kib-v1_1.json --sector-number 42 --actor 1000 \
	    --dir $(PARAMS)

.PHONY: format
format:
	.ci/tools clang-format
	$(CARGO) fmt --all
	for folder in compat/supraseal-c2-curio $(RUST_CONSUMERS) benches/supraseal; do (cd $$folder && $(CARGO) fmt --all); done
	gofmt -w go-binding compat
	git ls-files -z 'cuda/*.h' 'cuda/*.cuh' 'cuda/*.cu' 'cuda/*.cpp' 'ffi-tests/*.c' \
	    'ffi-tests/*.h' 'ffi-tests/*.cpp' 'compat/*.c' | xargs -0 -r $(CACHE)/tools/clang-format/clang_format/data/bin/clang-format -i

# Installed without line tables, which are most of the size. A backtrace from an installed library
# names functions; .cache/dist keeps the tables of the same build.
.PHONY: install uninstall
install: all
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(DIST)/lib/$(SONAME) $(DESTDIR)$(PREFIX)/lib/libcuzk.so.$(VERSION)
	ln -sf libcuzk.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(PREFIX)/lib/libcuzk.so
	install -m 644 $(DIST)/lib/libcuzk.a $(DESTDIR)$(PREFIX)/lib/libcuzk.a
	install -m 755 $(DIST)/lib/libsupraseal_c2.so $(DESTDIR)$(PREFIX)/lib/libsupraseal_c2.so
	install -m 644 include/cuzk.h include/supraseal_c2.h $(DESTDIR)$(PREFIX)/include/
	install -m 755 $(DIST)/bin/cuzk $(DESTDIR)$(PREFIX)/bin/cuzk
	$(STRIP) --strip-debug $(addprefix $(DESTDIR)$(PREFIX)/,lib/libcuzk.so.$(VERSION) lib/libcuzk.a \
	    lib/libsupraseal_c2.so bin/cuzk)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' cuzk.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/cuzk.pc

uninstall:
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,lib/libcuzk.so.$(VERSION) lib/$(SONAME) lib/libcuzk.so \
	    lib/libcuzk.a lib/libsupraseal_c2.so lib/pkgconfig/cuzk.pc include/cuzk.h \
	    include/supraseal_c2.h bin/cuzk)
