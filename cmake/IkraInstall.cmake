# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The installed package: headers, runtime and Datalog libraries, ikrac, ikra-datalog, and find_package(ikra), which gives the same targets
# (ikra::…) and the same add_ikra_target as the source tree does.
include(CMakePackageConfigHelpers)

set(_ikra_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ikra")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS ikrac EXPORT ikra-compiler RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
set(_ikra_libraries ikra ikra_runtime)
if(TARGET ikra_runtime_cuda)
  list(APPEND _ikra_libraries ikra_runtime_cuda)
endif()
foreach(_ikra_part IN ITEMS "" _frontend _reference _plan _compile _io _engine _engine_cuda _plain _cpu _cuda)
  if(TARGET ikra_datalog${_ikra_part})
    set_target_properties(ikra_datalog${_ikra_part} PROPERTIES EXPORT_NAME datalog${_ikra_part})
    list(APPEND _ikra_libraries ikra_datalog${_ikra_part})
  endif()
endforeach()
if(TARGET ikra-datalog)
  install(TARGETS ikra-datalog RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  set(IKRA_DATALOG_FILES ON)
endif()
# nvcc does not look for host functions that device code calls in system headers, as CMake takes those of packages to be.
set_target_properties(${_ikra_libraries} PROPERTIES EXPORT_NO_SYSTEM ON)
install(TARGETS ${_ikra_libraries} EXPORT ikra-libraries
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")

install(EXPORT ikra-compiler NAMESPACE ikra:: DESTINATION "${_ikra_package_dir}")
install(EXPORT ikra-libraries NAMESPACE ikra:: DESTINATION "${_ikra_package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/IkraTarget.cmake" "${PROJECT_SOURCE_DIR}/cmake/IkraCuda.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindRE2.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindFFI.cmake"
        DESTINATION "${_ikra_package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ikra-config.cmake.in" "${PROJECT_BINARY_DIR}/ikra-config.cmake"
                              INSTALL_DESTINATION "${_ikra_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ikra-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ikra-config.cmake" "${PROJECT_BINARY_DIR}/ikra-config-version.cmake"
        DESTINATION "${_ikra_package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/ikra")
