# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Which programs scripts/gpu-pack takes along to a machine that has a GPU and nothing to build with. Targets
# announce themselves where they are made; the list is written at configure time and read by the script.
#
#   ikra_add_gpu_test(target [ENVIRONMENT NAME=VALUE...] [ARGS argument...])
#       Exit status 0 is a pass. A Catch2 program is counted test case by test case (TYPE catch2). With
#       EXPECTED_FROM other-target the two programs must print the same.
#   ikra_add_gpu_benchmark(target [ENVIRONMENT ...] [ARGS ...])
#       Prints its results; with --json FILE in ARGS ({out} is a file of its own) they are collected too.
#
# Both take TYPE program|catch2 (default program) and may be called more than once for a target with other
# arguments; NAME gives the entry another name than the target's. In ARGS, {data} stands for the folder that
# scripts/gpu-pack --data copied, {pack} for the pack itself; entries that name {data} are left out of a pack without one.
include_guard(GLOBAL)

function(_ikra_add_gpu_entry kind target)
  cmake_parse_arguments(PARSE_ARGV 2 entry "" "NAME;TYPE;EXPECTED_FROM" "ENVIRONMENT;ARGS")
  if(entry_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ikra_add_gpu_${kind}(${target}): unknown arguments: ${entry_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ikra_add_gpu_${kind}: there is no target ${target}")
  endif()
  if(NOT entry_NAME)
    set(entry_NAME ${target})
  endif()
  if(NOT entry_TYPE)
    set(entry_TYPE program)
  elseif(NOT entry_TYPE MATCHES "^(program|catch2)$")
    message(FATAL_ERROR "ikra_add_gpu_${kind}(${target}): TYPE is program or catch2, not ${entry_TYPE}")
  endif()
  set(expected "null")
  if(entry_EXPECTED_FROM)
    set(expected "\"$<TARGET_FILE:${entry_EXPECTED_FROM}>\"")
    set_property(GLOBAL APPEND PROPERTY IKRA_GPU_PACK_TARGETS ${entry_EXPECTED_FROM})
  endif()
  foreach(list IN ITEMS ENVIRONMENT ARGS)
    set(json_${list} "[]")
    set(position 0)
    foreach(value IN LISTS entry_${list})
      string(REPLACE "\\" "\\\\" value "${value}")
      string(REPLACE "\"" "\\\"" value "${value}")
      string(JSON json_${list} SET "${json_${list}}" ${position} "\"${value}\"")
      math(EXPR position "${position} + 1")
    endforeach()
    string(REGEX REPLACE "\n *" " " json_${list} "${json_${list}}")  # one line an entry
  endforeach()
  set_property(GLOBAL APPEND PROPERTY IKRA_GPU_PACK_TARGETS ${target})
  set_property(GLOBAL APPEND_STRING PROPERTY IKRA_GPU_PACK_ENTRIES
    "{\"kind\": \"${kind}\", \"name\": \"${entry_NAME}\", \"target\": \"${target}\", \"type\": \"${entry_TYPE}\", \"file\": \"$<TARGET_FILE:${target}>\", \"expected_from\": ${expected}, \"environment\": ${json_ENVIRONMENT}, \"args\": ${json_ARGS}}\n")
endfunction()

function(ikra_add_gpu_test target)
  _ikra_add_gpu_entry(test ${target} ${ARGN})
endfunction()

function(ikra_add_gpu_benchmark target)
  _ikra_add_gpu_entry(benchmark ${target} ${ARGN})
endfunction()

# Writes gpu-pack.jsonl (one entry a line) and the target gpu_pack_programs, which builds them all. Called once, last.
function(ikra_write_gpu_pack_list)
  get_property(entries GLOBAL PROPERTY IKRA_GPU_PACK_ENTRIES)
  get_property(targets GLOBAL PROPERTY IKRA_GPU_PACK_TARGETS)
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/gpu-pack.jsonl" CONTENT "${entries}")
  add_custom_target(gpu_pack_programs)
  if(targets)
    list(REMOVE_DUPLICATES targets)
    add_dependencies(gpu_pack_programs ${targets})
  endif()
endfunction()
