# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# FFI::FFI, libffi, by which Datalog calls C functions whose types a program declares. Its package has no CMake files of its own.
find_path(FFI_INCLUDE_DIR ffi.h)
find_library(FFI_LIBRARY ffi)
mark_as_advanced(FFI_INCLUDE_DIR FFI_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFI REQUIRED_VARS FFI_LIBRARY FFI_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install it: apt-get install libffi-dev, or scripts/setup build")
if(FFI_FOUND AND NOT TARGET FFI::FFI)
  add_library(FFI::FFI UNKNOWN IMPORTED)
  set_target_properties(FFI::FFI PROPERTIES IMPORTED_LOCATION "${FFI_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${FFI_INCLUDE_DIR}")
endif()
