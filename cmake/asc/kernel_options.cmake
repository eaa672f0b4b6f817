# SPDX-License-Identifier: Apache-2.0
# Reads op_kernel/CMakeLists.txt of a project that msopgen made: `cmake -P` runs this file in the folder op_kernel.
# CANNERY_DESCRIPTION names the file to which each option is added, as in npu_op.cmake.

include(${CMAKE_CURRENT_LIST_DIR}/describe.cmake)
cannery_begin_description()

function(add_ops_compile_options op_type)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMPUTE_UNIT;OPTIONS")
    cannery_describe_options(${op_type} ${arg_OPTIONS})
endfunction()

# The other functions that templates of toolkits call there, and the variables that they need. Nothing is built here.
foreach(
    name
    IN
    ITEMS
        add_bin_compile_target
        add_cross_compile_target
        add_dependencies
        add_kernel_compile
        add_kernels_compile
        add_kernels_install
        add_npu_support_target
        add_ops_impl_target
        add_ops_info_target
        add_subdirectory
        install
)
    cmake_language(EVAL CODE "function(${name})\nendfunction()")
endforeach()
foreach(name IN ITEMS ENABLE_SOURCE_PACKAGE ENABLE_BINARY_PACKAGE ENABLE_CROSS_COMPILE ENABLE_TEST)
    set(${name} FALSE)
endforeach()

get_filename_component(CMAKE_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR} DIRECTORY)
include(${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt)
