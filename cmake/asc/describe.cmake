# SPDX-License-Identifier: Apache-2.0
# Functions that note in the file CANNERY_DESCRIPTION what the CMake files of a project say: <key>|<value>|...
# cannery/cli/cmake_project.py reads this file.

include_guard(GLOBAL)

function(cannery_begin_description)
    file(WRITE ${CANNERY_DESCRIPTION} "")
endfunction()

function(cannery_describe key)
    list(JOIN ARGN "|" values)
    file(APPEND ${CANNERY_DESCRIPTION} "${key}|${values}\n")
endfunction()

# Notes options for the kernels of an operator, or of ALL.
function(cannery_describe_options op_type)
    foreach(option IN LISTS ARGN)
        cannery_describe(option ${op_type} "${option}")
    endforeach()
endfunction()
