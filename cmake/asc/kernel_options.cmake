# SPDX-License-Identifier: Apache-2.0
# Reads op_kernel/CMakeLists.txt of a project that msopgen made: `cmake -P` runs this file in the folder op_kernel.
# CANNERY_DESCRIPTION names the file to which each option is added, as in npu_op.cmake.

include(${CMAKE_CURRENT_LIST_DIR}/describe.cmake)
cannery_begin_description()

function(add_ops_compile_options op_type)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMPUTE_UNIT;OPTIONS")
    cannery_describe_options(${op_type} ${arg_OPTIONS})
endfunction()

function(add_kernels_compile)
endfunction()

function(add_kernel_compile)
endfunction()

get_filename_component(CMAKE_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR} DIRECTORY)
include(${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt)
