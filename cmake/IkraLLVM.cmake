# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ikra_llvm: clang's and LLVM's headers (as SYSTEM headers) and their shared libraries. Debian's LLVM package says
# version 19.1, and its clang package no version at all, so clang is taken from beside LLVM and nowhere else: a
# stale clang 14 often lies on the default path.
set(_ikra_llvm_packages "llvm-19-dev libclang-19-dev clang-19 llvm-19-tools libclang-common-19-dev")

find_package(LLVM 19.1 QUIET CONFIG PATHS /usr/lib/llvm-19/lib/cmake/llvm)
if(LLVM_FOUND)
  find_package(Clang QUIET CONFIG PATHS "${LLVM_INSTALL_PREFIX}/lib/cmake/clang" "${LLVM_DIR}/../clang" NO_DEFAULT_PATH)
endif()
if(NOT LLVM_FOUND OR NOT Clang_FOUND)
  message(FATAL_ERROR "ikrac needs the development files of LLVM and clang 19.1. On Debian 12 and Ubuntu 24.04:\n"
                      "  apt-get install ${_ikra_llvm_packages}\n"
                      "For an LLVM elsewhere, set LLVM_DIR to its lib/cmake/llvm.")
endif()
unset(_ikra_llvm_packages)

if(NOT TARGET clang-cpp OR NOT TARGET LLVM)
  message(FATAL_ERROR "The LLVM in ${LLVM_DIR} has no shared libraries (clang-cpp, LLVM); ikrac links those.")
endif()

add_library(ikra_llvm INTERFACE)
target_include_directories(ikra_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
separate_arguments(_ikra_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(ikra_llvm INTERFACE ${_ikra_llvm_definitions})
unset(_ikra_llvm_definitions)
if(NOT LLVM_ENABLE_EH)
  target_compile_options(ikra_llvm INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
endif()
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(ikra_llvm INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()
# Nine tenths of ikrac's time pass in clang's library, so its own code is optimised a little: it builds in a third less
# time and runs as fast.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(ikra_llvm INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
endif()
target_link_libraries(ikra_llvm INTERFACE clang-cpp LLVM)
