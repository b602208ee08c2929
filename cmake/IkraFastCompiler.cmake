# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# IKRA_FAST_COMPILER: clang, which takes half of g++'s time where nothing is optimised.
#
# ikra_leave_unoptimised(FOLDER...): it compiles the targets of these folders, in place of the project's compiler.
include_guard(GLOBAL)

find_program(IKRA_FAST_COMPILER clang++-19 DOC "Compiles what need not be fast; empty: the project's compiler")
mark_as_advanced(IKRA_FAST_COMPILER)

function(ikra_leave_unoptimised)
  if(NOT IKRA_FAST_COMPILER)
    return()
  endif()
  set(launcher "${PROJECT_SOURCE_DIR}/scripts/lib/replace_compiler.sh" "${IKRA_FAST_COMPILER}" "${CMAKE_CXX_COMPILER}"
               ${CMAKE_CXX_COMPILER_LAUNCHER})
  foreach(folder IN LISTS ARGN)
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
    endforeach()
  endforeach()
endfunction()
