#!/usr/bin/env bash
# Checks everything: style, go test, the race detector, and the scripts under tests/.
# What it needs and does not find it installs (as root, on Debian) or names; what it
# cannot run it skips with a reason, and with CI=true it fails instead.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
work=$PWD/.gonterp # everything made here for the tests
ci=${CI:-}
only=${1:-} # one step by name, or all

# What the tests run besides Go:       command      Debian package
tools=(
	python3=python3
	pip=python3-pip
	venv=python3-venv
	git=git
	gcc=gcc                # the race detector links with it
	tmux=tmux              # the terminal's tests
	chromium=chromium      # notebooks as people see them
	node=nodejs
	npm=npm
)
# The Python libraries that talk to the kernel and read what gonterp writes, in a
# virtual environment of their own.
clients=(jupyter_client==8.10.0 jupyter_kernel_test==0.7.0 nbclient==0.11.0 nbformat==5.11.1 ipykernel==7.4.0 pyzmq==27.3.0 psutil==7.2.2
	numpy==2.4.6 safetensors==0.8.0 pyarrow==26.0.1)

# The scripts under tests/, each one test: name, then the command.
scripts=(
	"cells        go run ./tests/cells tests/cells/*.cells"
	"notebook     $work/venv/bin/python tests/notebook/run.py"
	"verify       $work/bin/gonterp verify tests/reference/v32 tests/reference/v32-bf16 tests/reference/v2-odd tests/reference/v32-odd"
	"frontend     $work/venv/bin/python tests/frontend/run.py"
	"beyond       KERNEL_NAME=gonterp $work/venv/bin/python tests/kernel/beyond.py"
	"soak         $work/venv/bin/python tests/kernel/soak.py 60"
	"conformance  KERNEL_NAME=gonterp KERNEL_STYLE=interp $work/venv/bin/python tests/kernel/conformance.py"
)

mkdir -p "$work/bin"
counts=$work/counts
: >"$counts"
failures=() skips=()

step() { printf '\n== %s (%s)\n' "$*" "$(date +%T)"; }
passed() { echo "1 0 0" >>"$counts"; }
failed() { echo "0 1 0" >>"$counts"; failures+=("$*"); printf 'FAIL  %s\n' "$*"; }
# Something that cannot be run here: a failure in CI.
skipped() {
	if [ "$ci" = true ]; then failed "$*"; return; fi
	echo "0 0 1" >>"$counts"
	skips+=("$*")
	printf 'skip  %s\n' "$*"
}
wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }

has() {
	case $1 in
	pip) python3 -m pip --version >/dev/null 2>&1 ;;
	venv) python3 -c 'import venv, ensurepip' >/dev/null 2>&1 ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# Prints the packages of the tools that are missing.
missing() {
	local t packages=()
	for t in "${tools[@]}"; do has "${t%%=*}" || packages+=("${t#*=}"); done
	echo ${packages[@]+"${packages[@]}"}
}

install_tools() {
	local packages
	packages=$(missing)
	[ -n "$packages" ] || return 0
	step "tools"
	echo "the tests also want: apt-get install -y $packages"
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -q $packages >/dev/null
	fi
	packages=$(missing)
	[ -z "$packages" ] || skipped "tools that are not installed: $packages"
}

libtorch() {
	step "libtorch"
	if [ "$ci" = true ] || ! go run ./cmd/gonterp doctor 2>/dev/null | grep -q '^ok  *libtorch'; then
		./install.sh || failed "install.sh"
	else
		echo "found"
	fi
}

venv() {
	has venv || { skipped "the kernel's clients: python3 has no venv"; return 1; }
	if [ ! -x "$work/venv/bin/python" ] || [ "$(cat "$work/venv/clients" 2>/dev/null)" != "${clients[*]}" ]; then
		step "Python clients of the kernel"
		rm -rf "$work/venv"
		python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q "${clients[@]}" || {
			skipped "the kernel's clients could not be installed: ${clients[*]}"
			return 1
		}
		echo "${clients[*]}" >"$work/venv/clients"
	fi
	export GONTERP_PYTHON=$work/venv/bin/python
}

# check NAME COMMAND...: one test, which passes when the command does and prints nothing
# to the file of complaints.
check() {
	local name=$1
	shift
	if "$@"; then passed; else failed "$name"; fi
}

no_output() {
	local out
	out=$("$@" 2>&1)
	[ -z "$out" ] || { printf '%s\n' "$out"; return 1; }
}

# notebooks/ holds files of cells, which are no packages.
packages() { go list -e ./... 2>/dev/null | grep -v '/notebooks$'; }

style() {
	step "gofmt, go vet, staticcheck"
	check gofmt no_output gofmt -l $(packages | sed "s|^github.com/gonterp/gonterp|.|; s|$|/*.go|")
	check "go vet" go vet $(packages)
	check staticcheck go run "$staticcheck" $(packages)
}

unit() {
	step "go test"
	go test -json $(packages) 2>&1 | go run ./tests/summary "$counts"
	[ "${PIPESTATUS[1]}" = 0 ] || failures+=("go test")
}

# The packages that never open libtorch: its threads are not the race detector's.
race() {
	step "race detector, packages without libtorch"
	has gcc || { skipped "race detector: no gcc"; return; }
	local p quiet=()
	for p in $(packages); do
		go list -deps -test "$p" 2>/dev/null | grep -q '/runtime/torch$' || quiet+=("$p")
	done
	# yaegi races inside itself; our own engine is the one that must not.
	GONTERP_ENGINE=machine CGO_ENABLED=1 go test -race -short -json "${quiet[@]}" 2>&1 | go run ./tests/summary "$counts"
	[ "${PIPESTATUS[1]}" = 0 ] || failures+=("race detector")
}

run_scripts() {
	local line name command
	step "scripts"
	go build -trimpath -o "$work/bin/gonterp" ./cmd/gonterp || { failed "building gonterp"; return; }
	export PATH=$work/bin:$PATH JUPYTER_DATA_DIR=$work/jupyter
	"$work/bin/gonterp" kernel install || { failed "gonterp kernel install"; return; }
	for line in "${scripts[@]}"; do
		read -r name command <<<"$line"
		step "$name: $command"
		if bash -c "$command"; then passed; else failed "$name: $command"; fi
	done
}

export CGO_ENABLED=0
if ! command -v go >/dev/null; then
	echo "go is not installed: apt-get install golang-go" >&2
	exit 1
fi
install_tools
wanted style && style
if [ -z "$only" ] || [ "$only" != style ]; then libtorch; fi
if [ -z "$only" ] || [ "$only" = unit ] || [ "$only" = scripts ]; then venv || true; fi
wanted unit && unit
wanted race && race
wanted scripts && run_scripts

step "done"
for s in ${skips[@]+"${skips[@]}"}; do echo "skipped: $s"; done
for f in ${failures[@]+"${failures[@]}"}; do echo "failed:  $f"; done
awk '{ p += $1; f += $2; s += $3 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$counts" && [ ${#failures[@]} -eq 0 ]
