# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the scripts share: messages, and packages from Debian's and Ubuntu's package manager. Sourced by bash scripts that
# have set -euo pipefail and ROOT, the checkout's folder.

# The packages by purpose; the names are the same in Debian 12 and Ubuntu 24.04.
BUILD_PACKAGES=(g++ cmake ninja-build python3
                llvm-19-dev libclang-19-dev clang-19 llvm-19-tools libclang-common-19-dev libre2-dev)
EXAMPLE_PACKAGES=(libfmt-dev libpng-dev libcli11-dev nlohmann-json3-dev libsqlite3-dev zlib1g-dev libffi-dev)
# clang's OpenMP is for scripts/lint and the preset tsan, and so for style/lint; clang's sanitizers are for tsan alone.
TEST_PACKAGES=(make catch2 python3-numpy clang-format-19 clang-tidy-19 libomp-19-dev)
DEVELOPER_PACKAGES=(ccache clangd-19 libclang-rt-19-dev)

say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "'$*' has to run as root, and there is no sudo"
  fi
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# install_missing PACKAGE...: does nothing, and asks for no password, where all are there.
install_missing() {
  local missing=() package
  if ! command -v apt-get >/dev/null; then
    printf 'This is no Debian or Ubuntu; install what corresponds to: %s\n' "$*" >&2
    return 0
  fi
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 update </dev/null
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    --no-install-recommends install "${missing[@]}" </dev/null ||
    fail "could not install: ${missing[*]}
LLVM 19 is in Debian 12 (with its security updates) and in Ubuntu 24.04 (universe)."
}

# How many compilers at once: one a core, and 1.5 GiB of memory each (files that include clang's headers need that).
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo)
  if [ "$memory" -lt "$cores" ]; then cores=$memory; fi
  if [ "$cores" -lt 1 ]; then cores=1; fi
  echo "$cores"
}
