# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ikra_warnings: the warnings that the project's own sources are clean under. Link it PRIVATE. Sources that
# include clang's headers get them as SYSTEM headers (IkraLLVM), so the same set serves all.
add_library(ikra_warnings INTERFACE)
set(_ikra_cxx_warnings -Wall -Wextra -Wpedantic -Wconversion)
# nvcc writes line directives that -Wpedantic objects to, and temporaries that -Wshadow does.
target_compile_options(ikra_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${_ikra_cxx_warnings}>"
  # LLVM's style names constructors' parameters like the members they initialise.
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:IKRA_LLVM_STYLE>>>>:-Wshadow>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # std::invoke of a pointer to a member function: g++ 12 follows the branch for virtual ones into classes that have none.
  target_compile_options(ikra_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>)
endif()
if(IKRA_WERROR)
  target_compile_options(ikra_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Werror>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
unset(_ikra_cxx_warnings)
