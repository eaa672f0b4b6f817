# SPDX-License-Identifier: Apache-2.0
# Compiles the sources of a folder together, as a few units: most files are small, and each by itself would read the
# same headers first.

include_guard(GLOBAL)

option(CANNERY_UNITS "Compile the sources of a folder together; OFF: each file alone" ON)

# cannery_compile_as_units(<target> <name> <bytes> <source>...)
#
# Neighbours in the list share a unit, up to about `bytes` of text. A unit compiles anew when one of its files changes,
# so its size is what an edit costs.
function(cannery_compile_as_units target name bytes)
    if(NOT CANNERY_UNITS)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set(unit 1)
    set(filled 0)
    foreach(source IN LISTS ARGN)
        get_filename_component(path ${source} ABSOLUTE)
        file(SIZE ${path} size)
        math(EXPR filled "${filled} + ${size}")
        if(filled GREATER bytes AND NOT filled EQUAL size)
            math(EXPR unit "${unit} + 1")
            set(filled ${size})
        endif()
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${unit})
    endforeach()
endfunction()
