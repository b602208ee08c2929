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
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>"
  # An error always: device code that calls a host function compiles otherwise, and gives anything.
  "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=cross-execution-space-call>")
# What g++ says after inlining depends on its version and the optimisation level, and is often wrong: g++ 12 follows
# std::invoke's branch for virtual methods into classes that have none, and sees overlapping copies in string
# concatenation. These never are errors, and with g++ 12 they are off.
set(_ikra_flow_warnings array-bounds stringop-overflow stringop-overread restrict nonnull maybe-uninitialized
    free-nonheap-object dangling-pointer)
if(IKRA_WERROR)
  target_compile_options(ikra_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Werror>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  foreach(warning IN LISTS _ikra_flow_warnings)
    set(_ikra_option -Wno-error=${warning})
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      set(_ikra_option -Wno-${warning})
    endif()
    target_compile_options(ikra_warnings INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:${_ikra_option}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${_ikra_option}>)
  endforeach()
endif()
unset(_ikra_option)
unset(_ikra_flow_warnings)
unset(_ikra_cxx_warnings)
