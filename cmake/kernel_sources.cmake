# SPDX-License-Identifier: Apache-2.0
# Functions that prepare the kernel sources of operators for operators.cmake.

include_guard(GLOBAL)

# Copies each kernel source, without launches (<<<>>>) and with checks of values that do not fit into fields; copies its
# headers in `include_dirs`, too. Sets `result` to the copies. They are in ${PROJECT_BINARY_DIR}/kernel_sources.
function(operators_copy_sources result include_dirs)
    file(GLOB sources CONFIGURE_DEPENDS ${project_dir}/op_kernel/*.cpp)
    set(folder ${PROJECT_BINARY_DIR}/kernel_sources)
    get_filename_component(package ${CANNERY_GENERATOR_DIR} DIRECTORY)
    get_filename_component(packages ${package} DIRECTORY)
    file(GLOB scripts ${package}/compile/*.py ${package}/compile/*.txt)
    set(copies)
    foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME)
        add_custom_command(
            OUTPUT ${folder}/${name}
            COMMAND
                ${CMAKE_COMMAND} -E env PYTHONPATH=${packages} ${Python_EXECUTABLE} -B -m
                cannery.compile.kernel_source ${source} ${folder} ${include_dirs}
            DEPENDS ${source} ${scripts}
            DEPFILE ${folder}/${name}.d
            VERBATIM
        )
        list(APPEND copies ${folder}/${name})
    endforeach()
    set_source_files_properties(${copies} PROPERTIES HEADER_FILE_ONLY ON)
    set(${result} ${copies} PARENT_SCOPE)
endfunction()

# Collects the comments for the hazard checker from all kernel sources into a header. Sets `result` to its path.
function(operators_keep_comments result)
    file(
        GLOB_RECURSE sources
        CONFIGURE_DEPENDS
        ${project_dir}/op_kernel/*.cpp
        ${project_dir}/op_kernel/*.h
        ${project_dir}/op_kernel/*.hpp
    )
    get_filename_component(package ${CANNERY_GENERATOR_DIR} DIRECTORY)
    set(script ${package}/compile/hazard_comments.py)
    set(header ${PROJECT_BINARY_DIR}/kernel_comments/hazard_comments.inc)
    add_custom_command(
        OUTPUT ${header}
        COMMAND ${Python_EXECUTABLE} -B ${script} ${project_dir}/op_kernel ${header}
        DEPENDS ${sources} ${script}
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
