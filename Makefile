# SPDX-License-Identifier: MIT OR Apache-2.0
#
#   make            the libraries and the program
#   make demo       a real 2 KiB sector: parameters, proof through libcuzk.so, verification
#   make test       every test there is
#   make bench      the measurements
#   make header     include/cuzk.h anew from src/ffi
#   make format     every source formatted
#   make install PREFIX=/usr/local DESTDIR=   and `make uninstall`

PREFIX ?= /usr/local
DESTDIR ?=
CARGO ?= cargo
CARGO_TARGET_DIR ?= target
export CARGO_TARGET_DIR := $(abspath $(CARGO_TARGET_DIR))

ABI := $(shell sed -n 's/^pub const CUZK_ABI_VERSION: u32 = \([0-9]*\);$$/\1/p' src/ffi/version.rs)
VERSION := $(shell sed -n 's/^version = "\([0-9.]*\)"$$/\1/p' Cargo.toml | head -n 1)
SONAME := libcuzk.so.$(ABI)

# What is built here for C, and parameters for development: git ignores the folder.
CACHE := $(CURDIR)/.cache
DIST := $(CACHE)/dist
PARAMS := $(CACHE)/parameters

.PHONY: all
all: library program

# The package is an rlib, for Rust dependents and for the program; the shared and the static
# library are the same crate linked in two more ways, on the same compiled dependencies.
.PHONY: library
library:
	$(CARGO) rustc --release --lib --crate-type cdylib,staticlib -- -C link-arg=-Wl,-soname,$(SONAME)
	install -d $(DIST)/lib
	install -m 755 $(CARGO_TARGET_DIR)/release/libcuzk.so $(DIST)/lib/$(SONAME)
	ln -sf $(SONAME) $(DIST)/lib/libcuzk.so
	install -m 644 $(CARGO_TARGET_DIR)/release/libcuzk.a $(DIST)/lib/libcuzk.a

.PHONY: header
header:
	CUZK_BLESS=1 $(CARGO) test --release --test header

.PHONY: test test-rust test-c
test: test-rust test-c

test-rust:
	$(CARGO) test --release --workspace

test-c: library
	.ci/tools valgrind
	$(MAKE) -C ffi-tests check DIST=$(DIST)
