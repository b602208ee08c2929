# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ikra_find_cuda(): sets IKRA_CUDA_FOUND, and CMAKE_CUDA_COMPILER and CMAKE_CUDA_ARCHITECTURES where the caller
# has not chosen them, following IKRA_ENABLE_CUDA (AUTO, ON, OFF; AUTO when unset). With AUTO an nvcc that does not work,
# say because the host compiler is too new for it, counts as none.
#
# ikra_enable_cuda(): enable_language(CUDA), with C++20.
#
# Macros, because CMake reads what they set in the scope that has the targets. Used by the project's own build and
# by add_ikra_target, from the source tree and from an installed package.
include_guard(GLOBAL)
include(CheckLanguage)

macro(ikra_find_cuda)
  set(IKRA_CUDA_FOUND FALSE)
  if(NOT DEFINED IKRA_ENABLE_CUDA OR IKRA_ENABLE_CUDA STREQUAL "AUTO" OR IKRA_ENABLE_CUDA)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 90)
    endif()
    if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
      find_program(IKRA_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATH_SUFFIXES bin PATHS /usr/local/cuda/bin
                   DOC "NVIDIA's CUDA compiler")
      mark_as_advanced(IKRA_NVCC)
      if(IKRA_NVCC)
        set(ENV{CUDACXX} "${IKRA_NVCC}")
      endif()
    endif()
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
      set(IKRA_CUDA_FOUND TRUE)
    elseif(DEFINED IKRA_ENABLE_CUDA AND NOT IKRA_ENABLE_CUDA STREQUAL "AUTO")
      message(FATAL_ERROR "IKRA_ENABLE_CUDA is ON, but there is no working nvcc on PATH or in /usr/local/cuda/bin "
                          "(CMakeFiles/CMakeError.log has what was tried).\n"
                          "Set CMAKE_CUDA_COMPILER, or leave IKRA_ENABLE_CUDA at AUTO.")
    endif()
  endif()
endmacro()

macro(ikra_enable_cuda)
  if(NOT CMAKE_CUDA_COMPILE_OBJECT)
    enable_language(CUDA)
  endif()
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has it
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
  endif()
endmacro()
