# Two commands for a person: `make demo` and `make test`.  Meson does the work.
#
#	make            release build in build/
#	make demo       install what is needed, build, run the main job on the bundled sample, show it in a browser
#	make test       unit tests, command tests, examples of the manual
#	make sanitize   the tests under AddressSanitizer + UBSan, then what has threads under TSan
#	make fuzz       every parser for SECONDS=60 with libFuzzer
#	make lint       clang-tidy, clang-format, the order of layers
#	make bench      the programs of bench/ beside their peers; prints docs/benchmarks.md's table
#	make suites     conformance suites and real archives in DATA (a folder with unpacked packs)
#	make browser    the pages in Chromium: flows, axe, no sideways scrolling; screenshots in build/screenshots
#	make torture    everything that takes long: all kills, every n-th fault, long fuzzing
#	make paper-u    the case study of docs/algorithm/case-study.md on the corpora in DATA
#	make install    PREFIX=/usr/local DESTDIR=
#	make deb        a Debian package in build/
SHELL = /bin/sh
PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 60
DATA ?=
BUILD ?= build
JOBS ?= $(shell nproc)
NINJA = ninja -j $(JOBS)

.PHONY: all deps browser demo test sanitize fuzz lint bench suites torture install deb clean paper-u

all: $(BUILD)/build.ninja
	$(NINJA) -C $(BUILD)

# Installs what is missing, once.
deps:
	@tools/deps

$(BUILD)/build.ninja: | deps
	meson setup $(BUILD) --buildtype=release >/dev/null

demo: all
	@tools/demo $(BUILD)

test: all
	@tools/deps test
	@tests/run $(BUILD)

sanitize: deps
	@tests/sanitize

fuzz: deps
	@tests/fuzz/run $(SECONDS)

lint: all
	@tools/lint $(BUILD)

bench: deps
	@bench/run

paper-u: all
	@bench/paper-u $(BUILD)

suites: all
	@tests/suites/run $(BUILD) $(DATA)

torture: deps
	@tests/torture

browser: all
	@tools/deps browser
	@BUILD=$(abspath $(BUILD)) tests/browser/run

install: all
	@tools/install-files $(BUILD) "$(DESTDIR)" "$(PREFIX)"

deb: all
	@tools/deb $(BUILD)

clean:
	rm -rf build build-*
