# SPDX-License-Identifier: Apache-2.0
# Functions that prepare the kernel sources of operators for operators.cmake.

include_guard(GLOBAL)

# Makes a copy without launches of each kernel source that contains launches (<<<>>>). Sets `result` to the copies.
function(operators_take_out_launches result)
    file(GLOB sources CONFIGURE_DEPENDS ${project_dir}/op_kernel/*.cpp)
    set(copies)
    foreach(source IN LISTS sources)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        file(STRINGS ${source} launches REGEX "<<<")
        if(launches)
            get_filename_component(name ${source} NAME)
            set(copy ${PROJECT_BINARY_DIR}/kernel_sources/${name})
            add_custom_command(
                OUTPUT ${copy}
                COMMAND ${Python_EXECUTABLE} -B -m cannery.compile.kernel_source ${source} ${copy}
                DEPENDS ${source}
                VERBATIM
            )
            list(APPEND copies ${copy})
        endif()
    endforeach()
    set_source_files_properties(${copies} PROPERTIES HEADER_FILE_ONLY ON)
    set(${result} ${copies} PARENT_SCOPE)
endfunction()

# Sets `result` to the command that runs the compiler for kernels. It adds checks of values that do not fit into fields,
# and counters of scalar operations.
function(operators_find_launcher result)
    get_filename_component(package ${CANNERY_GENERATOR_DIR} DIRECTORY)
    get_filename_component(packages ${package} DIRECTORY)
    get_target_property(twin twin_include INTERFACE_INCLUDE_DIRECTORIES)
    list(GET twin 0 twin)
    get_filename_component(twin ${twin} DIRECTORY)
    set(${result}
        ${CMAKE_COMMAND}
        -E
        env
        PYTHONPATH=${packages}
        ${Python_EXECUTABLE}
        -B
        -m
        cannery.compile.checked
        ${twin}
        ${CMAKE_CXX_COMPILER_LAUNCHER}
        PARENT_SCOPE
    )
endfunction()

# Lets the build compile the kernels in `wrappers` again when the code that edits kernels has changed.
function(operators_note_edits wrappers)
    get_filename_component(package ${CANNERY_GENERATOR_DIR} DIRECTORY)
    set(modules
        ${package}/compile/tokens.py
        ${package}/compile/checked.py
        ${package}/compile/field_checks.py
    )
    file(GLOB counters CONFIGURE_DEPENDS ${package}/compile/scalar_*.py)
    set_source_files_properties(${wrappers} PROPERTIES OBJECT_DEPENDS "${modules};${counters}")
endfunction()

# Writes `paths` to the file `list`, if it has other content. A command that depends on the list runs again if a file
# was removed; no time of a file shows that.
function(operators_write_list list)
    set(before)
    if(EXISTS ${list})
        file(READ ${list} before)
    endif()
    string(JOIN "\n" paths ${ARGN})
    if(NOT paths STREQUAL before)
        file(WRITE ${list} "${paths}")
    endif()
endfunction()

# Sets `result` to all files of kernel_dir, which may be the project's folder and contain the build folder.
function(operators_find_kernel_sources result)
    file(
        GLOB_RECURSE sources
        CONFIGURE_DEPENDS
        ${kernel_dir}/*.cpp
        ${kernel_dir}/*.h
        ${kernel_dir}/*.hpp
    )
    set(found)
    foreach(source IN LISTS sources)
        string(FIND ${source} ${PROJECT_BINARY_DIR}/ in_build)
        if(NOT in_build EQUAL 0)
            list(APPEND found ${source})
        endif()
    endforeach()
    set(${result} ${found} PARENT_SCOPE)
endfunction()

# Collects the comments for the hazard checker from all kernel sources into a header. Sets `result` to its path.
function(operators_keep_comments result)
    operators_find_kernel_sources(sources)
    get_filename_component(package ${CANNERY_GENERATOR_DIR} DIRECTORY)
    set(script ${package}/compile/hazard_comments.py)
    set(header ${PROJECT_BINARY_DIR}/kernel_comments/hazard_comments.inc)
    set(list ${PROJECT_BINARY_DIR}/kernel_sources.txt)
    operators_write_list(${list} ${sources})
    add_custom_command(
        OUTPUT ${header}
        COMMAND ${Python_EXECUTABLE} -B ${script} ${kernel_dir} ${header}
        DEPENDS ${sources} ${list} ${script}
        VERBATIM
    )
    set_source_files_properties(${header} PROPERTIES HEADER_FILE_ONLY ON)
    set(${result} ${header} PARENT_SCOPE)
endfunction()

# Sets `result` to the kinds of core for which an operator's kernel is compiled. The kernel types in its source decide
# the kinds; a source without kernel types is compiled for both. A launch that needs another kind fails (T606).
function(operators_find_cores op result)
    set(source ${project_dir}/op_kernel/${op}.cpp)
    set(types)
    if(EXISTS ${source}) # otherwise the operator's definition names another source file
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        file(STRINGS ${source} types REGEX "KERNEL_TYPE_")
    endif()
    set(cores)
    if(NOT types OR types MATCHES "KERNEL_TYPE_(AIV_ONLY|MIX_AIV_1_0|MIX_AIC_1_1|MIX_AIC_1_2)")
        list(APPEND cores vector)
    endif()
    if(NOT types OR types MATCHES "KERNEL_TYPE_(AIC_ONLY|MIX_AIC_)")
        list(APPEND cores cube)
    endif()
    set(${result} ${cores} PARENT_SCOPE)
endfunction()
