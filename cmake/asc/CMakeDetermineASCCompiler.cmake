# SPDX-License-Identifier: Apache-2.0
# Finds the compiler of the language ASC: the command `cannery`. Searches first in the Python environment in which this
# file is installed.

include(CMakeFindBinUtils)
find_program(
    CMAKE_ASC_COMPILER
    NAMES cannery
    HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../../../../../bin
    DOC "cannery, whose cc compiles sources with launches"
)
if(NOT CMAKE_ASC_COMPILER)
    message(
        FATAL_ERROR
        "There is no command cannery: put it on PATH, or name it with -DCMAKE_ASC_COMPILER=<path>"
    )
endif()
mark_as_advanced(CMAKE_ASC_COMPILER)
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
configure_file(
    ${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in
    ${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake
    @ONLY
)
