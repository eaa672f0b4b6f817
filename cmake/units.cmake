# SPDX-License-Identifier: Apache-2.0
# Compiles the sources of a folder together, as a few units: most files are small, and each by itself would read the
# same headers first.

include_guard(GLOBAL)

option(CANNERY_UNITS "Compile the sources of a folder together; OFF: each file alone" ON)

# cannery_compile_as_units(<target> <name> <bytes> <source>...)
#
# Neighbours in the list share a unit. The units are alike in size and have at most about `bytes` of text: a unit
# compiles anew when one of its files changes, so its size is what an edit costs.
function(cannery_compile_as_units target name bytes)
    if(NOT CANNERY_UNITS)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set(all 0)
    set(middles)
    foreach(source IN LISTS ARGN)
        get_filename_component(path ${source} ABSOLUTE)
        file(SIZE ${path} size)
        math(EXPR middle "${all} + ${size} / 2")
        list(APPEND middles ${middle})
        math(EXPR all "${all} + ${size}")
    endforeach()
    math(EXPR units "(${all} + ${bytes} - 1) / ${bytes}")
    foreach(source middle IN ZIP_LISTS ARGN middles)
        math(EXPR unit "${middle} * ${units} / ${all} + 1")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${unit})
    endforeach()
endfunction()
