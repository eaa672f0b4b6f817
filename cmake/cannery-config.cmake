# SPDX-License-Identifier: Apache-2.0
# find_package(cannery) reads this file. It defines the targets of the twin, and cannery_add_operators
# (operators.cmake), which builds an operator project with these targets. CMake gets the path of this file from
# `cannery build`, or in builds with scikit-build-core from the Python package.

if(TARGET twin_kernel_vector)
    return()
endif()

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
get_filename_component(cannery_twin_dir ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

# Finds the code generator cannery.opgen. Python imports the package cannery from the environment or the source tree.
execute_process(
    COMMAND
        ${Python_EXECUTABLE} -c
        "import cannery, cannery.opgen; print(cannery.__version__, cannery.opgen.__path__[0])"
    OUTPUT_VARIABLE found
    ERROR_VARIABLE problem
    RESULT_VARIABLE status
    OUTPUT_STRIP_TRAILING_WHITESPACE
)
if(NOT status EQUAL 0)
    message(
        FATAL_ERROR
        "${Python_EXECUTABLE} has no package cannery; install it there:\n${problem}"
    )
endif()
string(REGEX MATCH "^([^ ]+) (.*)$" found "${found}")
set(CANNERY_VERSION ${CMAKE_MATCH_1})
set(CANNERY_GENERATOR_DIR ${CMAKE_MATCH_2})

add_library(twin_include INTERFACE IMPORTED)
set_target_properties(
    twin_include
    PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${cannery_twin_dir}/include
)
foreach(library IN ITEMS cannery_twin ascendcl nnopbase)
    add_library(${library} SHARED IMPORTED)
    set_target_properties(
        ${library}
        PROPERTIES
            IMPORTED_LOCATION ${cannery_twin_dir}/lib/lib${library}.so
            INTERFACE_LINK_LIBRARIES twin_include
    )
endforeach()

# A CMake module that links twin_kernel_vector (twin_kernel_cube) becomes a kernel binary for vector (cube) cores.
foreach(
    list
    IN
    ITEMS flags flags_vector flags_cube link_flags host_link_flags
)
    file(STRINGS ${cannery_twin_dir}/kernel_flags/${list}.txt cannery_kernel_${list})
endforeach()
foreach(core IN ITEMS vector cube)
    add_library(twin_kernel_${core} INTERFACE IMPORTED)
    target_compile_options(
        twin_kernel_${core}
        INTERFACE ${cannery_kernel_flags} ${cannery_kernel_flags_${core}}
    )
    target_link_options(twin_kernel_${core} INTERFACE ${cannery_kernel_link_flags})
    target_link_libraries(twin_kernel_${core} INTERFACE cannery_twin)
endforeach()

# A library that contains functions of op_host must link twin_op_host.
add_library(twin_op_host INTERFACE IMPORTED)
target_link_libraries(twin_op_host INTERFACE nnopbase ascendcl cannery_twin)
target_link_options(twin_op_host INTERFACE ${cannery_kernel_host_link_flags})

include(${CMAKE_CURRENT_LIST_DIR}/operators.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/kernels.cmake)
