# SPDX-License-Identifier: Apache-2.0
# Compiles the sources of a folder together, as a few translation units, because most sources are small and include the
# same headers.

include_guard(GLOBAL)

option(CANNERY_UNITS "Compile the sources of a folder together; OFF: each file alone" ON)

# cannery_compile_as_units(<target> <name> <bytes> <source>...)
#
# Sources that follow each other in the list share a unit. All units have about the same size, at most about `bytes`
# bytes of text. Smaller units make an edit cheaper, because a changed source recompiles its whole unit.
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
