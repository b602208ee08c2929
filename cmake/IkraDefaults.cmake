# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What this project chooses for its own builds and leaves alone when it is part of another one: the build
# type, ccache, sanitizers, where binaries go.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

find_program(IKRA_CCACHE ccache DOC "Compiler cache; empty for none")
mark_as_advanced(IKRA_CCACHE)
if(IKRA_CCACHE)
  # ccache handles precompiled headers only if it may overlook what they were compiled with.
  set(_ikra_launcher "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${IKRA_CCACHE}")
  foreach(language IN ITEMS C CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${_ikra_launcher}")
    endif()
  endforeach()
  unset(_ikra_launcher)
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()

if(IKRA_SANITIZE)
  # Directory-wide: a sanitizer has to see every object of a program.
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${IKRA_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  add_link_options("-fsanitize=${IKRA_SANITIZE}")
endif()
