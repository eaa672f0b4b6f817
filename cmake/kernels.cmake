# SPDX-License-Identifier: Apache-2.0
# Functions that build kernels with <<<>>> in your own project: cannery_add_kernel, and the functions that the toolkit's
# kernel projects call. find_package(cannery) includes this file.

include_guard(GLOBAL)

# cannery_add_kernel(<target> [STATIC | SHARED] <source>... [LAUNCHERS <dir>])
#
# Adds a library of C++ sources with kernels and launches. One command of `cannery cc` compiles them all, with the
# include directories, definitions and options of the target. LAUNCHERS: each extern "C" kernel also gets a function
# that launches it, declared in <dir>/aclrtlaunch_<kernel>.h.
function(cannery_add_kernel target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC;SHARED" "LAUNCHERS" "")
    if(NOT arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "cannery_add_kernel(${target}): expected at least one source")
    endif()
    set(sources)
    foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
        get_filename_component(path ${source} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
        list(APPEND sources ${path})
    endforeach()
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels.o)
    set(folders $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    set(launchers)
    if(arg_LAUNCHERS)
        set(launchers --launchers ${arg_LAUNCHERS})
    endif()
    add_custom_command(
        OUTPUT ${object}
        COMMAND
            ${CMAKE_COMMAND} -E env CXX=${CMAKE_CXX_COMPILER} ${Python_EXECUTABLE} -m cannery cc -c
            ${sources} -o ${object} ${launchers} "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>"
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
            "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>" -MD -MF ${object}.d -MT ${object}
        DEPENDS ${sources}
        DEPFILE ${object}.d
        COMMENT "Kernels of ${target}"
        COMMAND_EXPAND_LISTS
        VERBATIM
    )
    if(arg_SHARED)
        add_library(${target} SHARED ${object})
    else()
        add_library(${target} STATIC ${object})
    endif()
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${target} PUBLIC nnopbase ascendcl cannery_twin)
    if(arg_LAUNCHERS)
        target_include_directories(${target} PUBLIC ${arg_LAUNCHERS})
    endif()
endfunction()

# Adds a kernel library, as the toolkit's function does. Its headers are in include/<target> of the build folder.
function(ascendc_library target kind)
    cannery_add_kernel(${target} ${kind} ${ARGN} LAUNCHERS ${CMAKE_BINARY_DIR}/include/${target})
endfunction()

# Puts the kernels of the sources into one file for aclrtBinaryLoadFromFile. The toolkit's function creates this file
# under the same path.
function(ascendc_fatbin_library target)
    cannery_add_kernel(${target} SHARED ${ARGN} LAUNCHERS ${CMAKE_BINARY_DIR}/include/${target})
    set_target_properties(
        ${target}
        PROPERTIES
            PREFIX ""
            OUTPUT_NAME ${target}
            SUFFIX .o
            LIBRARY_OUTPUT_DIRECTORY ${CMAKE_INSTALL_PREFIX}/fatbin/${target}
    )
endfunction()

function(ascendc_include_directories target)
    target_include_directories(${target} ${ARGN})
endfunction()

function(ascendc_compile_definitions target)
    target_compile_definitions(${target} ${ARGN})
endfunction()

function(ascendc_compile_options target)
    target_compile_options(${target} ${ARGN})
endfunction()

# Target with the libraries that a program with launches links in addition to its kernels.
if(NOT TARGET host_intf_pub)
    add_library(host_intf_pub INTERFACE IMPORTED)
    target_link_libraries(host_intf_pub INTERFACE nnopbase ascendcl cannery_twin)
endif()
