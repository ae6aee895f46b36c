# Everything starts from Python 3.11+ alone; tools/setup makes .venv and keeps it up to date.
.PHONY: help demo bci test compiled test-docs docs docs-links test-oldest test-newest lint format dist bench soak reproduce clean
VENV := .venv/bin
# Several at once; a file's tests stay together, since they share what they set up. The files
# come in the order of tests/conftest.py, the longest first.
# A test process that dies ends the run: given another one, pytest-xdist would wait for ever.
AT_ONCE := --numprocesses auto --dist loadfile --no-loadscope-reorder --max-worker-restart 0
export PYTHON
# The tests start hundreds of processes; each would translate every module anew.
unexport PYTHONDONTWRITEBYTECODE

help:
	@echo "make demo       set up, then the paper's evaluation with a few trials"
	@echo "make bci        set up, then a brain-computer interface with a simulated participant"
	@echo "make test       set up, lint, check types, run all tests"
	@echo "make test-oldest, make test-newest   the tests with the oldest and the newest releases"
	@echo "                of what palacs uses; PYTHON=python3.13 picks the Python"
	@echo "make test-docs  only what README and docs show"
	@echo "make docs       the documentation site, into build/docs; make docs-links tries its addresses"
	@echo "make dist       wheel and source archive, checked, into dist/"
	@echo "make reproduce  the paper's evaluation with its 500 trials, into results/"
	@echo "make bench      all benchmarks, side by side with peers (half an hour)"
	@echo "make soak       kills, forks, cut connections, flipped bits, clocks that jump, made-up input"

demo:
	@tools/setup all
	@rm -rf build/demo
	@$(VENV)/palacs reproduce --trials 10 --out build/demo

bci:
	@tools/setup all
	@rm -rf build/bci
	@$(VENV)/palacs demo bci --out build/bci

reproduce:
	@tools/setup all
	@$(VENV)/palacs reproduce --out results

lint:
	@tools/setup dev
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy
	$(VENV)/hadolint Dockerfile
	$(VENV)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(VENV)/zizmor --offline --quiet .github
	$(VENV)/oxlint --quiet -c tools/javascript/oxlint.json src/palacs/studio/static
	$(VENV)/node tools/javascript/node_modules/typescript/bin/tsc -p tools/javascript

test:
	@tools/setup dev
	@# Compiled once, before several processes would do it at the same time.
	@$(MAKE) --no-print-directory --jobs 2 lint compiled
	$(VENV)/pytest $(AT_ONCE)

compiled:
	@tools/setup dev
	$(VENV)/python tools/compiled.py

test-docs:
	@tools/setup dev
	$(VENV)/pytest tests/test_docs.py

# An environment of its own: Sphinx holds docutils back. A warning is an error.
SITE := build/docs-python/bin/python
docs docs-links:
	@INTO=build/docs-python tools/setup docs
	@$(SITE) tools/compiled.py
	$(dir $(SITE))codespell README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs src
	$(SITE) -m sphinx -n -W --keep-going -q -j auto -b $(if $(filter docs,$@),html,linkcheck) \
		-d build/docs-kept docs build/$@
	@echo "build/$@"

# An environment for each Python and either end of what pyproject.toml allows.
END = build/$*-$(or $(notdir $(PYTHON)),python)
test-oldest test-newest: test-%:
	@INTO="$(END)" RELEASES=$* tools/setup test
	"$(END)/bin/python" tools/compiled.py
	"$(END)/bin/python" -m pytest $(AT_ONCE) $(PYTEST)

format:
	@tools/setup dev
	$(VENV)/ruff check --fix .
	$(VENV)/ruff format .
	$(VENV)/python tools/floors.py --write

bench:
	@tools/setup bench
	$(VENV)/python benchmarks/gain.py
	$(VENV)/python benchmarks/decision.py
	$(VENV)/python benchmarks/reproduce.py
	$(VENV)/python benchmarks/campaign.py
	$(VENV)/python benchmarks/studio.py
	$(VENV)/python benchmarks/sizes.py
	-$(VENV)/python benchmarks/start.py
	-$(VENV)/python benchmarks/stream.py
	$(VENV)/python benchmarks/bci.py
	@# These fail where a bar they print is not reached; the others go on.
	-$(VENV)/python benchmarks/bandwidth.py
	-$(VENV)/python benchmarks/bandwidth_rules.py
	-$(VENV)/python benchmarks/dimensions.py
	-$(VENV)/python benchmarks/conditions.py
	-$(VENV)/python benchmarks/stopping.py --trials 5
	-$(VENV)/python benchmarks/strategies.py
	$(VENV)/python benchmarks/constants.py --trials 20
	-$(VENV)/python benchmarks/verdict.py
	$(VENV)/python benchmarks/libraries.py

dist:
	@tools/setup dev
	rm -rf dist
	$(VENV)/hatchling build -d dist
	$(VENV)/twine check --strict dist/*

soak:
	@tools/setup bench
	$(VENV)/python benchmarks/soak.py

clean:
	rm -rf .venv build dist results .mypy_cache .ruff_cache .pytest_cache .hypothesis \
		tools/javascript/node_modules
