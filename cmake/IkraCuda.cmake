# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ikra_find_cuda(): sets IKRA_CUDA_FOUND, and CMAKE_CUDA_COMPILER and CMAKE_CUDA_ARCHITECTURES where the caller
# has not chosen them, following IKRA_ENABLE_CUDA (AUTO, ON, OFF; AUTO when unset). With AUTO an nvcc that does not work,
# say because the host compiler is too new for it, counts as none. Architectures that nobody has chosen are those of the
# GPUs that this machine has, or all major ones if it has none; IKRA_CUDA_ARCHITECTURES_CHOSEN says whether somebody has.
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
    if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
      find_program(IKRA_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATH_SUFFIXES bin PATHS /usr/local/cuda/bin
                   DOC "NVIDIA's CUDA compiler")
      mark_as_advanced(IKRA_NVCC)
      if(IKRA_NVCC)
        set(ENV{CUDACXX} "${IKRA_NVCC}")
      endif()
    endif()
    ikra_choose_architectures()
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

macro(ikra_choose_architectures)
  if(NOT DEFINED IKRA_CUDA_ARCHITECTURES_CHOSEN)
    set(IKRA_CUDA_ARCHITECTURES_CHOSEN TRUE)
    if("${CMAKE_CUDA_ARCHITECTURES}" STREQUAL "" AND NOT "$ENV{CUDAARCHS}" STREQUAL "")  # as CMake itself has it
      set(CMAKE_CUDA_ARCHITECTURES "$ENV{CUDAARCHS}")
    elseif("${CMAKE_CUDA_ARCHITECTURES}" STREQUAL "")
      set(IKRA_CUDA_ARCHITECTURES_CHOSEN FALSE)
      _ikra_default_architectures(CMAKE_CUDA_ARCHITECTURES)
    endif()
  endif()
endmacro()

# CMake's own `native` is an error, or what no GPU can run, on a machine without one; so nvcc's tool is asked, which nvcc
# itself takes for -arch=native. A GPU that this nvcc has no code for counts as none.
function(_ikra_default_architectures result)
  get_property(known GLOBAL PROPERTY IKRA_DEFAULT_ARCHITECTURES)
  if(NOT known)
    set(compiler "${CMAKE_CUDA_COMPILER}")
    if(NOT compiler)
      set(compiler "$ENV{CUDACXX}")
    endif()
    if(NOT IS_ABSOLUTE "${compiler}")
      find_program(compiler_path NAMES "${compiler}" nvcc NO_CACHE)
      set(compiler "${compiler_path}")
    endif()
    file(REAL_PATH "${compiler}" compiler)
    cmake_path(GET compiler PARENT_PATH folder)
    set(known all-major)
    execute_process(COMMAND "${folder}/__nvcc_device_query" OUTPUT_VARIABLE found RESULT_VARIABLE status
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(status EQUAL 0 AND found MATCHES "^[0-9]+(,[0-9]+)*$")
      execute_process(COMMAND "${compiler}" --list-gpu-code OUTPUT_VARIABLE supported ERROR_QUIET)
      string(REPLACE "," ";" found "${found}")
      list(REMOVE_DUPLICATES found)
      set(native "")
      foreach(architecture IN LISTS found)
        if(supported MATCHES "sm_${architecture}[^0-9]")
          list(APPEND native "${architecture}-real")
        endif()
      endforeach()
      if(native)
        set(known "${native}")
      endif()
    endif()
    set_property(GLOBAL PROPERTY IKRA_DEFAULT_ARCHITECTURES "${known}")
  endif()
  set(${result} "${known}" PARENT_SCOPE)
endfunction()

# Libraries that will be installed meet other GPUs than this machine's.
function(ikra_set_library_architectures)
  if(IKRA_INSTALL AND NOT IKRA_CUDA_ARCHITECTURES_CHOSEN)
    set_target_properties(${ARGN} PROPERTIES CUDA_ARCHITECTURES all-major)
  endif()
endfunction()

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
