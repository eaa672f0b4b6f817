# SPDX-License-Identifier: Apache-2.0
# The toolkit's functions npu_op_*, with which a project of operators without the files of msopgen says what it consists
# of. `cannery build` configures the project to learn this: each call adds lines to the file that CANNERY_DESCRIPTION
# names, <key>|<value>|... Nothing is built in that folder; cannery/cmake_project.py reads the file.

include_guard(GLOBAL)

if(NOT DEFINED CANNERY_DESCRIPTION)
    function(npu_op_package name)
        message(
            FATAL_ERROR
            "npu_op_package(${name}): build this project with `cannery build ${CMAKE_SOURCE_DIR}`, and pack it with "
            "`cannery package ${CMAKE_SOURCE_DIR}`"
        )
    endfunction()
    return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/describe.cmake)
cannery_begin_description()
if(NOT DEFINED vendor_name)
    set(vendor_name customize)
endif()
if(NOT DEFINED ASCEND_AUTOGEN_PATH)
    set(ASCEND_AUTOGEN_PATH ${CMAKE_BINARY_DIR}/autogen)
endif()
# A target needs a source, even if nothing builds the target.
file(WRITE ${CMAKE_BINARY_DIR}/nothing.cpp "")

# The twin runs no plugins of frameworks, and they may need files from the network.
macro(add_subdirectory)
    if(NOT "${ARGV0}" MATCHES "(^|/)framework/?$")
        _add_subdirectory(${ARGV})
    endif()
endmacro()

# Describes the sources of op_host among `ARGN`, which the caller's folder may name by relative paths.
function(cannery_describe_host)
    foreach(source IN LISTS ARGN)
        get_filename_component(path "${source}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
        string(FIND "${path}" "${ASCEND_AUTOGEN_PATH}/" generated)
        if(NOT generated EQUAL 0)
            cannery_describe(host ${path})
        endif()
    endforeach()
endfunction()

function(npu_op_package name)
    cannery_describe(package ${name})
endfunction()

function(npu_op_package_add)
endfunction()

function(npu_op_code_gen)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE;OUT_DIR;JOIN_OP_DEF" "SRC;COMPILE_OPTIONS")
    cannery_describe_host(${arg_SRC})
endfunction()

function(npu_op_library name type)
    if(type STREQUAL "TILING" OR type STREQUAL "GRAPH")
        cannery_describe_host(${ARGN})
    elseif(type STREQUAL "ACLNN")
        foreach(source IN LISTS ARGN)
            cannery_describe(aclnn ${source})
        endforeach()
    endif()
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/nothing.cpp)
endfunction()

# The toolkit also builds tiling for the device, for graphs. The twin has no graphs.
function(npu_op_device_tiling_library name)
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/nothing.cpp)
endfunction()

function(npu_op_kernel_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SRC_BASE;TILING_LIBRARY" "")
    get_filename_component(base "${arg_SRC_BASE}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    cannery_describe(base ${name} ${base})
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/nothing.cpp)
endfunction()

# SOC_SERIES is an older name of COMPUTE_UNIT.
function(npu_op_kernel_sources name)
    cmake_parse_arguments(
        PARSE_ARGV 1
        arg
        ""
        "OP_TYPE;KERNEL_DIR;KERNEL_FILE"
        "COMPUTE_UNIT;SOC_SERIES"
    )
    cannery_describe(
        kernel
        ${name}
        "${arg_OP_TYPE}"
        "${arg_KERNEL_DIR}"
        "${arg_KERNEL_FILE}"
        "${arg_COMPUTE_UNIT}"
        "${arg_SOC_SERIES}"
    )
endfunction()

function(npu_op_kernel_options name op_type)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "COMPUTE_UNIT;OPTIONS")
    cannery_describe_options(${op_type} ${arg_OPTIONS})
endfunction()
