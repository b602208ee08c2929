#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a command of the build with another compiler in place of the project's, unoptimised (ikra_choose_compiler).
# usage: replace_compiler.sh OTHER OWN COMMAND [ARGUMENT]...   each word of the command that is OWN becomes OTHER
set -eu
other=$1
own=$2
shift 2
for word in "$@"; do
  shift
  case $word in
    "$own") set -- "$@" "$other" -O0 ;;
    */libgomp.so) set -- "$@" -fopenmp ;;  # its library also serves what g++ compiled
    -O[1-9s] | -fpch-preprocess) ;;  # -O0 stands; the other is g++'s alone
    *) set -- "$@" "$word" ;;
  esac
done
exec "$@"
