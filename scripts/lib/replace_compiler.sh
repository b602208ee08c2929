#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a command of the build with another compiler in place of the project's, unoptimised (cmake/IkraFastCompiler.cmake, ikra_compile_fast).
# usage: replace_compiler.sh [--precompiled FILE] OTHER OWN COMMAND [ARGUMENT]...
# Each word of the command that is OWN becomes OTHER, which includes FILE first.
set -eu
precompiled=
if [ "$1" = --precompiled ]; then
  precompiled=$2
  shift 2
fi
other=$1
own=$2
shift 2
for word in "$@"; do
  shift
  case $word in
    # The C++ library itself uses what it deprecates, which clang says at its templates.
    "$own") set -- "$@" "$other" -O0 -Wno-deprecated-declarations ${precompiled:+-include-pch "$precompiled"} ;;
    */libgomp.so) set -- "$@" -fopenmp ;;  # its library also serves what g++ compiled
    -O[1-9s] | -fpch-preprocess | -fvect-cost-model=* | -Wno-*) ;;  # -O0 stands; the others are g++'s alone
    -Wconversion) set -- "$@" -Wconversion -Wno-sign-conversion ;;  # as g++ has it
    *) set -- "$@" "$word" ;;
  esac
done
exec "$@"
