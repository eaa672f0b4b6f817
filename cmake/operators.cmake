# SPDX-License-Identifier: Apache-2.0
# Everything that belongs to operators: generated sources, libcust_opapi.so and one kernel module
# per operator, dtype row and kind of core. Include it after the twin, which defines
# the targets twin_include, nnopbase, twin_kernel_vector and twin_kernel_cube.
#
# Leaves behind: target cannery_generate, CANNERY_GENERATED_DIR (the generated tree),
# CANNERY_INSTALL_DIR (where the twin lives in the wheel).

include_guard(GLOBAL)

if(NOT TARGET twin_kernel_vector)
    message(FATAL_ERROR "No target twin_kernel_vector: add the twin before include(operators)")
endif()

set(CANNERY_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
set(CANNERY_INSTALL_DIR cannery/_twin)

set(operators_generator_dir ${PROJECT_SOURCE_DIR}/python/cannery/opgen)

# -B: a build leaves no bytecode in the source tree.
set(operators_generator
    ${Python_EXECUTABLE}
    -B
    ${operators_generator_dir}
    --proto
    ${PROJECT_SOURCE_DIR}/op_proto
)

# Sets `result` to the absolute paths of all generated files.
function(operators_list_generated result)
    execute_process(
        COMMAND ${operators_generator} --list-outputs
        OUTPUT_VARIABLE paths
        ERROR_VARIABLE problems
        RESULT_VARIABLE status
        OUTPUT_STRIP_TRAILING_WHITESPACE
        ERROR_STRIP_TRAILING_WHITESPACE
    )
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "The operator prototypes cannot be used:\n${problems}")
    endif()
    string(REPLACE "\n" ";" paths "${paths}")
    list(TRANSFORM paths PREPEND ${CANNERY_GENERATED_DIR}/)
    set(${result} ${paths} PARENT_SCOPE)
endfunction()

# Adds the command and the target that run the generator.
function(operators_add_generator)
    file(GLOB prototypes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/op_proto/*.toml)
    file(GLOB templates CONFIGURE_DEPENDS ${operators_generator_dir}/templates/*.jinja)
    file(GLOB modules CONFIGURE_DEPENDS ${operators_generator_dir}/*.py)
    set(schema ${operators_generator_dir}/schema.json)
    # The list of generated files follows from the prototypes, so a changed one configures anew.
    set_property(
        DIRECTORY
        APPEND
        PROPERTY CMAKE_CONFIGURE_DEPENDS ${prototypes} ${modules} ${schema}
    )
    add_custom_command(
        OUTPUT ${operators_generated}
        COMMAND ${operators_generator} --out ${CANNERY_GENERATED_DIR}
        DEPENDS ${prototypes} ${templates} ${modules} ${schema}
        COMMENT "Generating from op_proto"
        VERBATIM
    )
    add_custom_target(cannery_generate ALL DEPENDS ${operators_generated})
endfunction()

# libcust_opapi.so: definitions, tiling, infershape and both aclnn storeys of all operators.
function(operators_add_library)
    file(
        GLOB sources
        CONFIGURE_DEPENDS
        ${PROJECT_SOURCE_DIR}/op_host/*.cpp
        ${PROJECT_SOURCE_DIR}/op_host/aclnn/*.cpp
        ${PROJECT_SOURCE_DIR}/op_host/aclnn/common/*.cpp
    )
    set(definitions ${operators_generated})
    list(FILTER definitions INCLUDE REGEX "/op_host/.*_(def|phase2)\\.cpp$")
    set(inner ${operators_generated})
    list(FILTER inner INCLUDE REGEX "/op_host/aclnnInner_.*\\.cpp$")

    # The toolkit's own project compiles these with C++11, and with no include path of the twin's own.
    add_library(cust_opapi_host OBJECT ${sources} ${definitions})
    set_target_properties(
        cust_opapi_host
        PROPERTIES
            CXX_STANDARD 11
            CXX_STANDARD_REQUIRED ON
            CXX_EXTENSIONS OFF
            CXX_VISIBILITY_PRESET hidden
            POSITION_INDEPENDENT_CODE ON
    )
    target_include_directories(
        cust_opapi_host
        PRIVATE
            ${PROJECT_SOURCE_DIR}/op_host/aclnn
            ${PROJECT_SOURCE_DIR}/op_kernel
            ${CANNERY_GENERATED_DIR}/op_host
            ${CANNERY_GENERATED_DIR}/include
    )
    target_compile_options(cust_opapi_host PRIVATE -Wall -Wextra)
    target_link_libraries(cust_opapi_host PRIVATE twin_include)
    add_dependencies(cust_opapi_host cannery_generate)

    add_library(cust_opapi SHARED ${inner})
    set_target_properties(
        cust_opapi
        PROPERTIES
            CXX_STANDARD 17
            CXX_STANDARD_REQUIRED ON
            CXX_VISIBILITY_PRESET hidden
            BUILD_WITH_INSTALL_RPATH ON
            INSTALL_RPATH "$ORIGIN"
    )
    target_link_libraries(cust_opapi PRIVATE cust_opapi_host nnopbase ascendcl)
    target_link_options(cust_opapi PRIVATE -Wl,--no-undefined)
    add_dependencies(cust_opapi cannery_generate)
    install(TARGETS cust_opapi LIBRARY DESTINATION ${CANNERY_INSTALL_DIR}/lib)
endfunction()

# libcannery_calls.so: one function per operator that calls its public C function with values which
# are known at run time only. It needs headers alone: who calls it says where the operators are.
function(operators_add_calls)
    set(sources ${operators_generated})
    list(FILTER sources INCLUDE REGEX "/calls/.*\\.cpp$")
    add_library(cannery_calls SHARED ${sources})
    set_target_properties(
        cannery_calls
        PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_VISIBILITY_PRESET hidden
    )
    target_include_directories(cannery_calls PRIVATE ${CANNERY_GENERATED_DIR}/include)
    target_compile_options(cannery_calls PRIVATE -Wall -Wextra)
    target_link_libraries(cannery_calls PRIVATE twin_include)
    add_dependencies(cannery_calls cannery_generate)
    install(TARGETS cannery_calls LIBRARY DESTINATION ${CANNERY_INSTALL_DIR}/lib)
endfunction()

# Sets `result` to the kinds of core that an operator's kernel needs code for, by the types that its
# source names: both when it names none. A wrong guess is an error of the launch (T606).
function(operators_find_cores op result)
    set(source ${PROJECT_SOURCE_DIR}/op_kernel/${op}.cpp)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} types REGEX "KERNEL_TYPE_")
    set(cores)
    if(NOT types OR types MATCHES "KERNEL_TYPE_(AIV_ONLY|MIX_AIV_1_0|MIX_AIC_1_1|MIX_AIC_1_2)")
        list(APPEND cores vector)
    endif()
    if(NOT types OR types MATCHES "KERNEL_TYPE_(AIC_ONLY|MIX_AIC_)")
        list(APPEND cores cube)
    endif()
    set(${result} ${cores} PARENT_SCOPE)
endfunction()

# kernels/<op>_<row>.so from its generated wrapper, and <op>_<row>.cube.so when it runs on both kinds
# of core.
function(operators_add_kernel wrapper)
    get_filename_component(name ${wrapper} NAME_WE)
    string(REGEX REPLACE "_[0-9]+$" "" op ${name})
    operators_find_cores(${op} cores)
    set(suffix "")
    foreach(core IN LISTS cores)
        set(target kernel_${name}${suffix})
        add_library(${target} MODULE ${wrapper})
        target_link_libraries(${target} PRIVATE twin_kernel_${core})
        set_target_properties(
            ${target}
            PROPERTIES
                PREFIX ""
                CXX_STANDARD 17
                CXX_STANDARD_REQUIRED ON
                OUTPUT_NAME ${name}${suffix}
                LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/kernels
                BUILD_WITH_INSTALL_RPATH ON
                INSTALL_RPATH "$ORIGIN/.."
        )
        target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/op_kernel)
        add_dependencies(${target} cannery_generate)
        install(TARGETS ${target} LIBRARY DESTINATION ${CANNERY_INSTALL_DIR}/lib/kernels)
        set(suffix ".cube")
    endforeach()
    if(TARGET kernel_${name}.cube)
        add_dependencies(kernel_${name} kernel_${name}.cube)
    endif()
endfunction()

operators_list_generated(operators_generated)
operators_add_generator()
operators_add_library()
operators_add_calls()

set(operators_wrappers ${operators_generated})
list(FILTER operators_wrappers INCLUDE REGEX "/kernel/.*\\.cpp$")
foreach(wrapper IN LISTS operators_wrappers)
    operators_add_kernel(${wrapper})
endforeach()

install(
    DIRECTORY ${CANNERY_GENERATED_DIR}/include/aclnnop
    DESTINATION ${CANNERY_INSTALL_DIR}/include
    FILES_MATCHING
    PATTERN "*.h"
)
install(
    DIRECTORY ${CANNERY_GENERATED_DIR}/proto
    DESTINATION ${CANNERY_INSTALL_DIR}
    FILES_MATCHING
    PATTERN "*.json"
)
