# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How this project's tests are made; not part of the installed package.
#
#   ikra_add_unit_test(name SOURCES source... [LIBRARIES library...] [DEFINITIONS definition...]
#                      [PRECOMPILE header...] [UNOPTIMISED] [FAST])
#       A Catch2 program whose test cases are ctest tests of their own, named name/case. A case's name must not have
#       a bracket or a semicolon in it: CMake would make one list element of several names. Should it happen, the
#       test that matches no case fails. UNOPTIMISED is for tests of many templates that compute little: it saves a third of
#       the time that they take to build. FAST is ikra_compile_fast's: it halves what is left.
#   ikra_add_program_test(name [OPTIMISED] [OPTIMISED_PLAIN] [CHECKED] [KEPT])
#       In test/programs: builds name/*.cpp plain, through ikrac for the CPU and, where there is nvcc, for CUDA;
#       the CPU build, and the CUDA one where it can run, must print what the plain build prints. What ikrac leaves to
#       one core is what name/on_one_core.txt lists, with reasons; without that file it leaves nothing. Without
#       IKRA_GPU_PROGRAMS, one that is `whole` in test/nvcc_targets.txt is built as users build it, and its CUDA build runs, on
#       all cores; with IKRA_WERROR, g++'s warnings of what is emitted are errors there. The
#       others' CUDA builds are ikra_gpu_program's, and their C++ is ikra_compile_fast's, unless they are to be OPTIMISED; for
#       them ikrac reads ikra/ikra.hpp precompiled. CHECKED: a checked build on the CPU prints the same.
#       OPTIMISED_PLAIN: the plain build alone is optimised. KEPT: tests with the fixture program_NAME find in NAME.json what the
#       plain build prints, as same_output.py keeps it.
#   ikra_gpu_program(target)
#       A program that only a GPU can run. Unless IKRA_GPU_PROGRAMS is on, its CUDA sources are compiled to device code alone,
#       a quarter of the time, and it is not linked. nvcc parses host code then, too, but instantiates nothing for it. Where
#       test/nvcc_targets.txt does not have it, because others emit the same, only who asks for it builds it.
#   ikra_run_gpu_programs_on_host(folder...)
#       For the targets of these folders and below. Unless IKRA_GPU_PROGRAMS is on, what ikrac emits for CUDA is compiled to
#       device code alone, too, where test/nvcc_targets.txt has the target, and the program is made of what a C++ compiler
#       (clang, where it is there) makes of the same file, unoptimised: it runs on all cores, after a fifth of the time that nvcc
#       takes. The test programs that are `whole` show what nvcc makes for the host. A target's
#       property IKRA_HOST_COMPILER says what compiles its host code instead: `nvcc`, as users have it, where the unoptimised
#       program would run for too long; `own`, the project's compiler, for libraries (clang precompiles headers for programs)
#       and for parallel loops of Datalog (clang's are not for g++'s OpenMP library).
#   ikra_compile_fast(target HEADERS header... FLAGS flag... [OWN_LINKER])
#       Builds a program by clang, where it is there, unoptimised: a third of the time. Sanitizers and IKRA_FULL_TESTS need
#       the project's own compiler, and there nothing changes. The target's flags are those given, beside the build's own:
#       with them the headers are compiled once, and included first. A build with ccache does without: it would find no
#       object again, as what is precompiled names its folder. OWN_LINKER: the project's compiler links what has no OpenMP.
#   ikra_precompile(result HEADERS header... COMPILER compiler FLAGS flag...)
#       Sets result to the file that headers of ikra become, once for each compiler and flags; clang's is taken by
#       -include-pch, g++'s by -include of its name without .gch. The target ikra_precompiled makes all of them.
#   ikra_precompile_for_ikrac(result flag...)
#       Sets result to ikra/ikra.hpp precompiled by ikrac, once for each set of flags: more than half of its time passes there.
#   ikra_choose_compiler(number)
#       Sets cxx, and flags that have to follow the test's own in fast_flags. Generated file 0 of a kind is compiled by the
#       project's compiler and optimised as the test has it; the others by clang, where it is there, in a third of the time,
#       with ikra's headers precompiled.
#   ikra_add_generated_gpu_test(entry WRITER script ARGS argument... DEPENDS file... [INCLUDES folder...])
#       For packs alone, since nvcc takes minutes for a generated file: `script argument... FILE` writes a program, which
#       has to print on a GPU what its plain build prints, with fusion on (entry-fusion-on) and off (entry-fusion-off).
include_guard(GLOBAL)

option(IKRA_GPU_PROGRAMS "Link the programs that only a GPU can run; OFF: compile the device code alone of those that test/nvcc_targets.txt has" ON)

# Each target that nvcc compiles without IKRA_GPU_PROGRAMS, and those of them that it compiles whole.
set(_ikra_list "${PROJECT_SOURCE_DIR}/test/nvcc_targets.txt")
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_ikra_list}")
file(STRINGS "${_ikra_list}" IKRA_NVCC_TARGETS REGEX "^[a-z]")
set(IKRA_WHOLE_TARGETS "${IKRA_NVCC_TARGETS}")
list(FILTER IKRA_WHOLE_TARGETS INCLUDE REGEX " whole$")
foreach(_ikra_list IN ITEMS IKRA_NVCC_TARGETS IKRA_WHOLE_TARGETS)
  list(TRANSFORM ${_ikra_list} REPLACE " .*" "")
endforeach()
unset(_ikra_list)

# Debian 12 has Catch2 2.13 (one header), Ubuntu 24.04 has 3.4 (libraries, other header names). Tests are written as
# for 2.13; with 3 the folder test/support/catch2_v3 provides <catch2/catch.hpp>.
find_package(Catch2 CONFIG REQUIRED)
set(IKRA_CATCH_FLAGS "")
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  set(IKRA_CATCH_FLAGS -isystem "${PROJECT_SOURCE_DIR}/test/support/catch2_v3")
  add_library(ikra_catch INTERFACE)
  target_include_directories(ikra_catch SYSTEM INTERFACE "${PROJECT_SOURCE_DIR}/test/support/catch2_v3")
  target_link_libraries(ikra_catch INTERFACE Catch2::Catch2WithMain)
else()
  add_library(ikra_catch STATIC "${PROJECT_SOURCE_DIR}/test/support/catch_main.cpp")
  target_link_libraries(ikra_catch PUBLIC Catch2::Catch2)
endif()
include(Catch)

function(ikra_add_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "UNOPTIMISED;FAST" "" "SOURCES;LIBRARIES;DEFINITIONS;PRECOMPILE")
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ikra_add_unit_test(${name}): unknown arguments: ${test_UNPARSED_ARGUMENTS}")
  endif()
  foreach(source IN LISTS test_SOURCES)
    file(STRINGS "${source}" split REGEX "TEST_CASE\\(\"[^\"]*;")
    if(split)
      message(FATAL_ERROR "ikra_add_unit_test(${name}): ${source} has a test with a semicolon in its name, where CTest would split it")
    endif()
  endforeach()
  add_executable(${name} ${test_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_definitions(${name} PRIVATE ${test_DEFINITIONS})
  target_link_libraries(${name} PRIVATE ikra_warnings ikra_catch ${test_LIBRARIES})
  if(test_FAST AND IKRA_COMPILES_FAST)
    set(flags -std=c++20 ${IKRA_CATCH_FLAGS})
    if("OpenMP::OpenMP_CXX" IN_LIST test_LIBRARIES)
      list(APPEND flags ${OpenMP_CXX_FLAGS})
    endif()
    ikra_compile_fast(${name} HEADERS ${test_PRECOMPILE} FLAGS ${flags})
  else()
    target_precompile_headers(${name} PRIVATE ${test_PRECOMPILE})
  endif()
  if(test_UNOPTIMISED AND NOT IKRA_SANITIZE AND NOT IKRA_FULL_TESTS)
    target_compile_options(${name} PRIVATE -O0)
  endif()
  catch_discover_tests(${name} TEST_PREFIX "${name}/"
                       PROPERTIES LABELS unit FAIL_REGULAR_EXPRESSION "No test cases matched")
endfunction()

function(ikra_gpu_program target)
  if(IKRA_GPU_PROGRAMS)
    return()
  endif()
  set(script "${PROJECT_SOURCE_DIR}/scripts/lib/device_code_only.py")
  set_target_properties(${target} PROPERTIES CUDA_COMPILER_LAUNCHER "${Python3_EXECUTABLE};${script}"
                        RULE_LAUNCH_LINK "\"${Python3_EXECUTABLE}\" \"${script}\"")
  get_target_property(backend ${target} IKRA_BACKEND)
  if(backend AND NOT target IN_LIST IKRA_NVCC_TARGETS)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

function(ikra_run_gpu_programs_on_host)
  if(IKRA_GPU_PROGRAMS OR NOT IKRA_CUDA_FOUND)
    return()
  endif()
  if(IKRA_COMPILES_FAST)
    ikra_precompile(header HEADERS ikra/generated.hpp COMPILER "${IKRA_FAST_COMPILER}"
                    FLAGS -std=c++20 -O0 -w -ffp-contract=off -fopenmp)
  endif()
  foreach(folder IN LISTS ARGN)
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(backend ${target} IKRA_BACKEND)
      get_target_property(host_compiler ${target} IKRA_HOST_COMPILER)
      if(NOT backend STREQUAL "cuda" OR host_compiler STREQUAL "nvcc")
        continue()
      endif()
      set(launcher "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/lib/device_code_only.py")
      if(NOT target IN_LIST IKRA_NVCC_TARGETS)
        list(APPEND launcher --no-device)
      endif()
      if(IKRA_COMPILES_FAST AND NOT host_compiler STREQUAL "own")
        list(APPEND launcher --host "${IKRA_FAST_COMPILER}" --precompiled "${header}")
        add_dependencies(${target} ikra_precompiled)
      else()
        list(APPEND launcher --host "${CMAKE_CXX_COMPILER}")
      endif()
      set_target_properties(${target} PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
    endforeach()
    get_property(folders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    if(folders)
      ikra_run_gpu_programs_on_host(${folders})
    endif()
  endforeach()
endfunction()

include(IkraFastCompiler)
set(IKRA_COMPILES_FAST OFF)
if(IKRA_FAST_COMPILER AND NOT IKRA_SANITIZE AND NOT IKRA_FULL_TESTS)
  set(IKRA_COMPILES_FAST ON)
endif()

function(ikra_precompile result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPILER" "HEADERS;FLAGS")
  string(MD5 name "${arg_HEADERS} ${arg_COMPILER} ${arg_FLAGS}")
  set(folder "${PROJECT_BINARY_DIR}/test/precompiled/${name}")
  set(header "${folder}/header.hpp")
  set(${result} "${header}.gch" PARENT_SCOPE)
  get_property(known GLOBAL PROPERTY IKRA_PRECOMPILED)
  if(name IN_LIST known)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY IKRA_PRECOMPILED ${name})
  set(text "")
  foreach(included IN LISTS arg_HEADERS)
    string(REGEX REPLACE "[<>]" "" included "${included}")
    string(APPEND text "#include <${included}>\n")
  endforeach()
  file(CONFIGURE OUTPUT "${header}" CONTENT "${text}" @ONLY)
  if(IKRA_FAST_COMPILER AND arg_COMPILER STREQUAL IKRA_FAST_COMPILER)
    list(APPEND arg_FLAGS -fpch-instantiate-templates) # here once, rather than in each source: up to a third of its time
  endif()
  add_custom_command(OUTPUT "${header}.gch"
    COMMAND "${arg_COMPILER}" ${arg_FLAGS} "-I${PROJECT_SOURCE_DIR}/runtime/include" -MD -MF "${header}.d" -MT "${header}.gch"
            -x c++-header "${header}" -o "${header}.gch"
    DEPENDS "${header}" DEPFILE "${header}.d" COMMENT "Precompiling ${arg_HEADERS}" VERBATIM)
  add_custom_target(ikra_precompiled_${name} DEPENDS "${header}.gch")
  if(NOT TARGET ikra_precompiled)
    add_custom_target(ikra_precompiled ALL)
  endif()
  add_dependencies(ikra_precompiled ikra_precompiled_${name})
endfunction()

function(ikra_precompile_for_ikrac result)
  list(JOIN ARGN " " flags)
  string(MD5 name "ikrac ${flags}")
  set(header "${PROJECT_BINARY_DIR}/test/precompiled/${name}/ikra.pch")
  set(${result} "${header}" PARENT_SCOPE)
  get_property(known GLOBAL PROPERTY IKRA_PRECOMPILED)
  if(name IN_LIST known)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY IKRA_PRECOMPILED ${name})
  set(include "${PROJECT_SOURCE_DIR}/runtime/include")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${include}/*.hpp")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/test/precompiled/${name}")
  add_custom_command(OUTPUT "${header}"
    COMMAND ikra::ikrac --precompile -o "${header}" "${include}/ikra/ikra.hpp" -- ${ARGN} "-I${include}"
    DEPENDS ikra::ikrac ${headers} COMMENT "Precompiling ikra/ikra.hpp for ikrac" VERBATIM)
  add_custom_target(ikra_precompiled_${name} ALL DEPENDS "${header}")
endfunction()

function(ikra_compile_fast target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_LINKER" "" "HEADERS;FLAGS")
  if(NOT IKRA_COMPILES_FAST)
    return()
  endif()
  set(launcher "${PROJECT_SOURCE_DIR}/scripts/lib/replace_compiler.sh")
  set(replaced "${IKRA_FAST_COMPILER}" "${CMAKE_CXX_COMPILER}" ${CMAKE_CXX_COMPILER_LAUNCHER})
  if(NOT arg_OWN_LINKER)
    set(link "${launcher}" "${IKRA_FAST_COMPILER}" "${CMAKE_CXX_COMPILER}")
    list(JOIN link " " link)
    set_target_properties(${target} PROPERTIES RULE_LAUNCH_LINK "${link}")
  endif()
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
    separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
    ikra_precompile(header HEADERS ${arg_HEADERS} COMPILER "${IKRA_FAST_COMPILER}" FLAGS ${flags} -O0 ${arg_FLAGS})
    list(APPEND launcher --precompiled "${header}")
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS "${header}")
    add_dependencies(${target} ikra_precompiled)
  endif()
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher};${replaced}")
endfunction()

function(ikra_add_program_test name)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  if(NOT sources)
    message(FATAL_ERROR "ikra_add_program_test(${name}): no C++ source in ${CMAKE_CURRENT_SOURCE_DIR}/${name}")
  endif()
  add_executable(program_${name}_plain ${sources})
  target_compile_features(program_${name}_plain PRIVATE cxx_std_20)
  target_compile_options(program_${name}_plain PRIVATE -ffp-contract=off)  # as add_ikra_target does
  target_link_libraries(program_${name}_plain PRIVATE ikra::ikra)
  set(programs $<TARGET_FILE:program_${name}_plain>)

  set(is_whole FALSE)  # g++ and all of nvcc
  if("program_${name}_cuda" IN_LIST IKRA_WHOLE_TARGETS)
    set(is_whole TRUE)
  endif()
  set(IKRA_IKRAC_LAUNCHER "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/test/support/keep_messages.py")
  if(NOT is_whole)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
    separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
    ikra_precompile_for_ikrac(IKRA_IKRAC_PRECOMPILED ${flags} -std=c++20)
  endif()
  add_ikra_target(program_${name}_cpu SOURCES ${sources} BACKEND cpu)
  unset(IKRA_IKRAC_LAUNCHER)
  unset(IKRA_IKRAC_PRECOMPILED)
  if(is_whole AND IKRA_WERROR)
    get_target_property(emitted program_${name}_cpu SOURCES)  # of these alone: ikrac gets the target's options
    set_property(SOURCE ${emitted} APPEND PROPERTY COMPILE_OPTIONS -Wall -Wextra -Werror)
  endif()
  list(APPEND programs $<TARGET_FILE:program_${name}_cpu>)
  if("OPTIMISED" IN_LIST ARGN)
    target_compile_options(program_${name}_plain PRIVATE -O3)
  endif()
  if(NOT is_whole AND NOT "OPTIMISED" IN_LIST ARGN)
    if(NOT "OPTIMISED_PLAIN" IN_LIST ARGN)
      ikra_compile_fast(program_${name}_plain HEADERS ikra/ikra.hpp FLAGS -std=gnu++20 -ffp-contract=off)
    endif()
    ikra_compile_fast(program_${name}_cpu HEADERS ikra/generated.hpp FLAGS -std=gnu++20 -ffp-contract=off ${OpenMP_CXX_FLAGS})
  endif()
  if("CHECKED" IN_LIST ARGN)
    add_ikra_target(program_${name}_checked SOURCES ${sources} BACKEND cpu CHECKED)
    ikra_compile_fast(program_${name}_checked HEADERS ikra/generated.hpp FLAGS -std=gnu++20 -ffp-contract=off ${OpenMP_CXX_FLAGS})
    list(APPEND programs $<TARGET_FILE:program_${name}_checked>)
  endif()
  if(IKRA_CUDA_FOUND)
    # Emitted code is the same for both.
    set(IKRA_EMITTED_FOR program_${name}_cpu)
    add_ikra_target(program_${name}_cuda SOURCES ${sources} BACKEND cuda)
    unset(IKRA_EMITTED_FOR)
    if(IKRA_WERROR)
      target_compile_options(program_${name}_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
    endif()
    if(is_whole OR IKRA_GPU_PROGRAMS)
      list(APPEND programs $<TARGET_FILE:program_${name}_cuda>)
    else()
      ikra_gpu_program(program_${name}_cuda)
    endif()
    foreach(device IN ITEMS cuda cpu)
      ikra_add_gpu_test(program_${name}_cuda NAME program/${name}-${device} ENVIRONMENT IKRA_DEVICE=${device}
                        EXPECTED_FROM program_${name}_plain)
    endforeach()
    ikra_add_gpu_test(program_${name}_cuda NAME program/${name}-reordered
                      ENVIRONMENT IKRA_DEVICE=cuda IKRA_REORDER=always EXPECTED_FROM program_${name}_plain)
  endif()
  set(keep "")
  if("KEPT" IN_LIST ARGN)
    set(keep --keep "${CMAKE_CURRENT_BINARY_DIR}/${name}.json")
  endif()
  add_test(NAME program/${name}
           COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/test/support/same_output.py" ${keep}
                   --one-core "${CMAKE_CURRENT_SOURCE_DIR}/${name}" "${CMAKE_CURRENT_BINARY_DIR}/program_${name}_cpu.ikra"
                   ${programs})
  set_tests_properties(program/${name} PROPERTIES LABELS program)
  if(keep)
    set_tests_properties(program/${name} PROPERTIES FIXTURES_SETUP program_${name})
  endif()
endfunction()

macro(ikra_choose_compiler number)
  set(cxx "${CMAKE_CXX_COMPILER}")
  set(fast_flags "")
  if(NOT ${number} EQUAL 0 AND NOT IKRA_SANITIZE AND NOT IKRA_FULL_TESTS)
    set(fast_flags --flag=-O0)
    if(IKRA_FAST_COMPILER)
      set(cxx "${IKRA_FAST_COMPILER}")
      set(made_with COMPILER "${cxx}" FLAGS -std=c++20 -O0 -w -ffp-contract=off)
      ikra_precompile(plain_header HEADERS ikra/ikra.hpp ${made_with})
      ikra_precompile(cpu_header HEADERS ikra/generated.hpp ${made_with} -fopenmp)
      list(APPEND fast_flags --plain-header "${plain_header}" --cpu-header "${cpu_header}")
    endif()
    if(TARGET ikra::ikrac)
      ikra_precompile_for_ikrac(ikrac_header -std=c++20)
      list(APPEND fast_flags --ikrac-header "${ikrac_header}")
    endif()
  endif()
endmacro()

function(ikra_add_generated_gpu_test entry)
  cmake_parse_arguments(PARSE_ARGV 1 generated "" "WRITER" "ARGS;DEPENDS;INCLUDES")
  if(generated_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ikra_add_generated_gpu_test(${entry}): unknown arguments: ${generated_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT IKRA_CUDA_FOUND)
    return()
  endif()
  string(REPLACE "/" "_" name "${entry}")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  add_custom_command(OUTPUT "${source}"
    COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/${generated_WRITER}" ${generated_ARGS} "${source}"
    DEPENDS ${generated_WRITER} ${generated_DEPENDS} VERBATIM)
  add_executable(${name}_plain EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(${name}_plain PRIVATE ikra::ikra)
  target_compile_options(${name}_plain PRIVATE -w -ffp-contract=off)
  add_ikra_target(${name}_cuda SOURCES "${source}" BACKEND cuda)
  set_target_properties(${name}_cuda PROPERTIES EXCLUDE_FROM_ALL ON)
  foreach(build IN ITEMS plain cuda)
    target_include_directories(${name}_${build} PRIVATE ${generated_INCLUDES})
    target_compile_features(${name}_${build} PRIVATE cxx_std_20)
  endforeach()
  foreach(fusion IN ITEMS on off)
    ikra_add_gpu_test(${name}_cuda NAME ${entry}-fusion-${fusion} ENVIRONMENT IKRA_DEVICE=cuda IKRA_FUSION=${fusion}
                      EXPECTED_FROM ${name}_plain)
  endforeach()
endfunction()
