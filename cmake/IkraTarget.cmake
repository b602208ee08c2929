# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   add_ikra_target(name SOURCES source... [BACKEND auto|cuda|cpu] [CHECKED] [FAST_MATH] [LIBRARY])
#
# An executable (or, with LIBRARY, a static library) whose C++ sources go through ikrac first. It is an ordinary
# target: give it include directories, definitions, options and libraries with the target_… commands, before or
# after; ikrac sees them too, and runs again when they change, when a header changes and when ikrac itself changes.
#
#   BACKEND    cpu: the emitted file is compiled as C++ with OpenMP. cuda: by nvcc, for the architectures in
#              CMAKE_CUDA_ARCHITECTURES (when unset: of this machine's GPU, or all major ones); the program runs on
#              all cores where there is no GPU, or one that it has no code for.
#              auto, the default: cuda where nvcc and the CUDA runtime library of ikra are there, else cpu.
#   CHECKED    device code looks at each index, pointer, division and shift (docs/checked-builds.md).
#   FAST_MATH  lets the compilers contract floating-point operations. Without it every build rounds alike.
#
# A macro on the outside, since enable_language(CUDA) has to happen in the scope of the caller, who may well not
# have named CUDA in project(). It relies on the targets ikra::ikrac, ikra::runtime and ikra::runtime_cuda, which the
# source tree and the installed package both define.
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/IkraCuda.cmake")

macro(add_ikra_target name)
  _ikra_choose_backend(_ikra_backend "${name}" ${ARGN})
  if(_ikra_backend STREQUAL "cuda")
    ikra_find_cuda()
    if(NOT IKRA_CUDA_FOUND)
      message(FATAL_ERROR "add_ikra_target(${name}): BACKEND cuda needs nvcc, which was not found. "
                          "Set CMAKE_CUDA_COMPILER, or use BACKEND auto or cpu.")
    endif()
    ikra_enable_cuda()
  endif()
  _ikra_add_target("${name}" "${_ikra_backend}" ${ARGN})
endmacro()

function(_ikra_choose_backend result name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "CHECKED;FAST_MATH;LIBRARY" "BACKEND" "SOURCES")
  set(backend "${arg_BACKEND}")
  if(NOT backend)
    set(backend auto)
  endif()
  if(NOT backend MATCHES "^(auto|cuda|cpu)$")
    message(FATAL_ERROR "add_ikra_target(${name}): BACKEND is auto, cuda or cpu, not '${backend}'")
  endif()
  if(backend STREQUAL "auto")
    ikra_find_cuda()
    if(IKRA_CUDA_FOUND AND TARGET ikra::runtime_cuda)
      set(backend cuda)
    else()
      set(backend cpu)
    endif()
  elseif(backend STREQUAL "cuda" AND NOT TARGET ikra::runtime_cuda)
    message(FATAL_ERROR "add_ikra_target(${name}): BACKEND cuda needs ikra::runtime_cuda, which this build of ikra "
                        "does not have: it was configured without nvcc or with IKRA_ENABLE_CUDA=OFF.")
  endif()
  set(${result} ${backend} PARENT_SCOPE)
endfunction()

# The flags of a target as ikrac needs them, one quoted argument a line: what changes the meaning of a source (standard,
# definitions, include directories, options). CMake evaluates $<COMPILE_LANGUAGE> only where it knows the language,
# so the file is written once per language and the C++ one is used.
function(_ikra_write_flags name result)
  set(definitions "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>>")
  set(options "$<FILTER:$<TARGET_PROPERTY:${name},COMPILE_OPTIONS>,EXCLUDE,^SHELL:>")
  # An implicit directory given with -I would come before the compiler's own and break #include_next.
  set(includes "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>>")
  foreach(directory IN LISTS CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" pattern "${directory}")
    set(includes "$<FILTER:${includes},EXCLUDE,^${pattern}/?$>")
  endforeach()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")

  set(content "")
  foreach(flag IN LISTS flags)
    string(APPEND content "'${flag}'\n")
  endforeach()
  foreach(list_and_prefix IN ITEMS "definitions -D" "includes -I" "options ")
    string(REGEX MATCH "^[a-z]+" list "${list_and_prefix}")
    string(REGEX REPLACE "^[a-z]+ " "" prefix "${list_and_prefix}")
    string(APPEND content "$<$<BOOL:${${list}}>:'${prefix}$<JOIN:${${list}},'\n'${prefix}>'\n>")
  endforeach()
  set(standard "$<TARGET_PROPERTY:${name},CXX_STANDARD>")
  string(APPEND content "'-std=c++$<IF:$<BOOL:${standard}>,${standard},20>'\n")

  set(stem "${CMAKE_CURRENT_BINARY_DIR}/${name}.ikra/flags")
  file(GENERATE OUTPUT "${stem}-$<COMPILE_LANGUAGE>.rsp" CONTENT "${content}" TARGET ${name})
  set(${result} "${stem}-CXX.rsp" PARENT_SCOPE)
endfunction()

# Where the emitted file of a source goes: its path below the source (or binary) directory, kept.
function(_ikra_emitted_path name source result)
  set(base "${CMAKE_CURRENT_SOURCE_DIR}")
  cmake_path(IS_PREFIX CMAKE_CURRENT_BINARY_DIR "${source}" NORMALIZE generated)
  if(generated)
    set(base "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${base}" OUTPUT_VARIABLE relative)
  string(REPLACE "../" "up/" relative "${relative}")
  string(REGEX REPLACE "\\.[^./]*$" ".ikra.cu" relative "${relative}")
  set(${result} "${CMAKE_CURRENT_BINARY_DIR}/${name}.ikra/${relative}" PARENT_SCOPE)
endfunction()

# For this project's tests: IKRA_IKRAC_LAUNCHER, where it is set, is a command that ikrac's own is given to, which keeps what
# ikrac says; IKRA_IKRAC_PRECOMPILED is a header that ikrac precompiled; IKRA_EMITTED_FOR is a target of the same folder, sources and flags, whose emitted files serve this one too.
function(_ikra_add_target name backend)
  cmake_parse_arguments(PARSE_ARGV 2 arg "CHECKED;FAST_MATH;LIBRARY" "BACKEND" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_ikra_target(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "add_ikra_target(${name}): no SOURCES")
  endif()
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(multi_config)
    message(FATAL_ERROR "add_ikra_target needs a generator with one configuration a build folder, such as Ninja")
  endif()

  if(arg_LIBRARY)
    add_library(${name} STATIC)
  else()
    add_executable(${name})
  endif()
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES IKRA_BACKEND ${backend})  # libraries may choose by it
  _ikra_write_flags(${name} flags)

  get_target_property(ikrac ikra::ikrac ALIASED_TARGET)
  if(NOT ikrac)
    set(ikrac ikra::ikrac)
  endif()
  # ikrac leaves an unchanged file alone. Ninja stops there; make would run ikrac again at each build.
  set(touch "")
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    set(touch COMMAND "${CMAKE_COMMAND}" -E touch)
  endif()

  set(all_emitted "")
  foreach(source IN LISTS arg_SOURCES)
    if(NOT source MATCHES "\\.(cpp|cc|cxx|c\\+\\+|C)$")
      target_sources(${name} PRIVATE "${source}")
      continue()
    endif()
    set(path "${source}")
    cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    if(NOT EXISTS "${path}")  # made by a rule of the caller's, then
      set(path "${source}")
      cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
    endif()
    _ikra_emitted_path(${name} "${path}" emitted)
    if(emitted IN_LIST all_emitted)
      message(FATAL_ERROR "add_ikra_target(${name}): ${source} and another source differ in their extension only")
    endif()
    list(APPEND all_emitted "${emitted}")
    if(IKRA_EMITTED_FOR)
      _ikra_emitted_path(${IKRA_EMITTED_FOR} "${path}" made)
      add_custom_command(OUTPUT "${emitted}" COMMAND "${CMAKE_COMMAND}" -E copy "${made}" "${emitted}" DEPENDS "${made}" VERBATIM)
      _ikra_compile_emitted(${name} ${backend} "${path}" "${emitted}" "${made}.overlay" "${arg_FAST_MATH}")
      continue()
    endif()
    set(overlay "${emitted}.overlay")
    file(MAKE_DIRECTORY "${overlay}")

    set(touch_emitted "")
    if(touch)
      set(touch_emitted ${touch} "${emitted}")
    endif()
    set(check "")
    if(arg_CHECKED)
      set(check --check)
    endif()
    set(precompiled "")
    if(IKRA_IKRAC_PRECOMPILED)
      set(precompiled "--precompiled=${IKRA_IKRAC_PRECOMPILED}")
    endif()
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE shown)
    add_custom_command(
      OUTPUT "${emitted}"
      COMMAND ${IKRA_IKRAC_LAUNCHER} $<TARGET_FILE:${ikrac}> -o "${emitted}" "--depfile=${emitted}.d" "--overlay=${overlay}" ${check} ${precompiled} "${path}" -- "@${flags}"
      ${touch_emitted}
      DEPENDS "${path}" "${flags}" ${ikrac} ${IKRA_IKRAC_PRECOMPILED}
      DEPFILE "${emitted}.d"
      COMMENT "ikrac ${shown}"
      VERBATIM)
    _ikra_compile_emitted(${name} ${backend} "${path}" "${emitted}" "${overlay}" "${arg_FAST_MATH}")
  endforeach()

  if(backend STREQUAL "cuda")
    target_link_libraries(${name} PUBLIC ikra::runtime_cuda)
    set_target_properties(${name} PROPERTIES CUDA_STANDARD 20 CUDA_RUNTIME_LIBRARY Static)
    get_target_property(architectures ${name} CUDA_ARCHITECTURES)
    if(architectures MATCHES "-NOTFOUND$")
      set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
    endif()
  else()
    target_link_libraries(${name} PUBLIC ikra::runtime PRIVATE OpenMP::OpenMP_CXX)
  endif()
endfunction()

# How one emitted file is compiled. Everything is a property of that file: a property of the target would reach ikrac
# too. Headers that hold sections have their rewritten copies in the overlay, which stands first; headers beside the
# source stay reachable by #include "…".
function(_ikra_compile_emitted name backend source emitted overlay fast_math)
  cmake_path(GET source PARENT_PATH directory)
  # Loops over elements are of few bytes. One that lies across two lines of the instruction cache takes up to 1.7 times
  # as long, and where the compiler puts it is chance. With -O2, g++ vectorises only loops whose number of turns is a
  # known multiple: with the cost model of -O3 all others, too.
  set(loops "")
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    list(APPEND loops -falign-loops=32)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND loops -fvect-cost-model=dynamic)
  endif()
  target_sources(${name} PRIVATE "${emitted}")
  set_source_files_properties("${emitted}" PROPERTIES
    GENERATED ON INCLUDE_DIRECTORIES "${overlay}")
  if(backend STREQUAL "cuda")
    list(TRANSFORM loops PREPEND -Xcompiler= OUTPUT_VARIABLE loops_of_nvcc)
    # A call of a host function in device code compiles, and gives whatever lies in a register.
    set(options "-Xcompiler=-iquote${overlay},-iquote${directory},-fopenmp" --expt-relaxed-constexpr -lineinfo
                -Werror=cross-execution-space-call)
    if(NOT fast_math)
      list(APPEND options -fmad=false -Xcompiler=-ffp-contract=off)
    endif()
    list(APPEND options ${loops_of_nvcc})
    set_source_files_properties("${emitted}" PROPERTIES LANGUAGE CUDA COMPILE_OPTIONS "${options}")
  else()
    set(options -xc++ "-iquote${overlay}" "-iquote${directory}" ${loops})
    if(NOT fast_math)
      list(APPEND options -ffp-contract=off)
    endif()
    set_source_files_properties("${emitted}" PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "${options}")
  endif()
endfunction()
