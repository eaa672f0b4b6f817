# SPDX-License-Identifier: Apache-2.0
# Builds the package of an operator project (op_proto, op_host, op_kernel): the folder vendors/<vendor> with the layout
# of the toolkit. Before this file is included, the targets twin_include, nnopbase, ascendcl, twin_op_host,
# twin_kernel_vector and twin_kernel_cube must exist. twin/CMakeLists.txt defines these targets; for an installed
# cannery, cannery-config.cmake defines them. CANNERY_GENERATOR_DIR is the folder of cannery.opgen.

include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/kernel_sources.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/package_files.cmake)

if(NOT TARGET twin_kernel_vector)
    message(FATAL_ERROR "No target twin_kernel_vector: add the twin before include(operators)")
endif()

# The CPU architecture in the paths of a package's libraries.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(operators_arch x86_64)
else()
    set(operators_arch aarch64)
endif()

# The libraries of a package have no run path. They depend only on libraries that a program has loaded before: those of
# the toolkit, or those of the twin with the same names.
set(operators_link_flags -Wl,--no-undefined -Wl,--as-needed)

# cannery_add_operators(VENDOR <name> VERSION <version> PROJECT_DIR <dir> [PROTO_DIR <dir>] [KERNEL_DIR <dir>]
#                       [KERNEL_OPTIONS <option>...])
#
# Builds the operators of `dir` into ${PROJECT_BINARY_DIR}/opp/vendors/<name>. PROTO_DIR is a folder of prototypes that
# were made from the operator definitions in op_host. Without PROTO_DIR, these definitions are generated from op_proto.
# KERNEL_DIR is the folder of the kernel sources if the sources in op_kernel only include them. KERNEL_OPTIONS are options
# of the compiler for kernels, as <op>|<option> or ALL|<option>.
# Defines the targets cannery_generate, cannery_operators (the whole package) and cust_opapi. Sets
# CANNERY_GENERATED_DIR (folder of the generated files) and CANNERY_OPP_DIR (the folder that contains vendors/).
function(cannery_add_operators)
    cmake_parse_arguments(
        PARSE_ARGV 0
        arg
        ""
        "VENDOR;VERSION;PROJECT_DIR;PROTO_DIR;KERNEL_DIR"
        "KERNEL_OPTIONS"
    )
    if(
        NOT arg_VENDOR MATCHES "^[A-Za-z0-9][A-Za-z0-9_-]*$"
        OR NOT IS_DIRECTORY "${arg_PROJECT_DIR}"
    )
        message(
            FATAL_ERROR
            "cannery_add_operators(VENDOR \"${arg_VENDOR}\" PROJECT_DIR \"${arg_PROJECT_DIR}\"): expected a name of "
            "letters, digits, '_' and '-', and a folder"
        )
    endif()
    set(project_dir ${arg_PROJECT_DIR})
    set(kernel_dir ${project_dir}/op_kernel)
    if(arg_KERNEL_DIR)
        set(kernel_dir ${arg_KERNEL_DIR})
    endif()
    set(proto_dir ${project_dir}/op_proto)
    if(arg_PROTO_DIR)
        set(proto_dir ${arg_PROTO_DIR})
    endif()
    set(generated_dir ${PROJECT_BINARY_DIR}/generated)
    set(vendors_dir ${PROJECT_BINARY_DIR}/opp/vendors)
    set(package_dir ${vendors_dir}/${arg_VENDOR})
    set(tbe op_impl/ai_core/tbe)
    # -B: Python writes no bytecode into the source tree.
    set(generator
        ${Python_EXECUTABLE}
        -B
        ${CANNERY_GENERATOR_DIR}
        --proto
        ${proto_dir}
    )
    # All files of the package, relative to its folder.
    set(package_files)

    operators_list_generated(generated)
    operators_add_generator()
    operators_add_api_library()
    operators_add_calls()
    operators_add_host_library(opmaster OP_TILING_LIB ${tbe}/op_tiling/lib/linux/${operators_arch})
    operators_add_host_library(opsproto OP_PROTO_LIB op_proto/lib/linux/${operators_arch})
    operators_add_kernels()
    operators_add_files(${arg_VENDOR} ${arg_VERSION})
    operators_prune()

    set(CANNERY_GENERATED_DIR ${generated_dir} PARENT_SCOPE)
    set(CANNERY_OPP_DIR ${PROJECT_BINARY_DIR}/opp PARENT_SCOPE)
endfunction()

# cannery_install_operators(DESTINATION <dir>): installs the operators that cannery_add_operators has built, without
# symbolic links, which a wheel cannot contain.
function(cannery_install_operators)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "DESTINATION" "")
    install(
        DIRECTORY ${CANNERY_OPP_DIR}/
        DESTINATION ${arg_DESTINATION}
        USE_SOURCE_PERMISSIONS
        PATTERN liboptiling.so EXCLUDE
    )
endfunction()

# Sets `result` to the absolute paths of all generated files.
function(operators_list_generated result)
    execute_process(
        COMMAND ${generator} --list-outputs
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
    list(TRANSFORM paths PREPEND ${generated_dir}/)
    set(${result} ${paths} PARENT_SCOPE)
endfunction()

# Sets `result` to the generated files whose paths match `pattern`.
function(operators_generated_like pattern result)
    set(paths ${generated})
    list(FILTER paths INCLUDE REGEX "${pattern}")
    set(${result} ${paths} PARENT_SCOPE)
endfunction()

# Adds the command and the target that run the generator.
function(operators_add_generator)
    file(GLOB prototypes CONFIGURE_DEPENDS ${proto_dir}/*.toml)
    file(GLOB templates CONFIGURE_DEPENDS ${CANNERY_GENERATOR_DIR}/templates/*.jinja)
    file(GLOB modules CONFIGURE_DEPENDS ${CANNERY_GENERATOR_DIR}/*.py)
    set(schema ${CANNERY_GENERATOR_DIR}/schema.json)
    # The list of generated files depends on the prototypes, so a changed prototype configures the
    # project again.
    set_property(
        DIRECTORY
        APPEND
        PROPERTY CMAKE_CONFIGURE_DEPENDS ${prototypes} ${modules} ${schema}
    )
    set(list ${PROJECT_BINARY_DIR}/prototypes.txt)
    operators_write_list(${list} ${prototypes})
    add_custom_command(
        OUTPUT ${generated}
        COMMAND ${generator} --out ${generated_dir}
        DEPENDS ${prototypes} ${list} ${templates} ${modules} ${schema}
        COMMENT "Generating from op_proto"
        VERBATIM
    )
    add_custom_target(cannery_generate ALL DEPENDS ${generated})
    add_custom_target(cannery_operators ALL)
endfunction()

# Sets the options that all libraries and kernels of a package share. `path` is the path of the file in the package.
function(operators_set_output target path)
    get_filename_component(folder ${path} DIRECTORY)
    get_filename_component(name ${path} NAME)
    string(REGEX REPLACE "\\.so$" "" name ${name})
    set_target_properties(
        ${target}
        PROPERTIES
            PREFIX ""
            OUTPUT_NAME ${name}
            LIBRARY_OUTPUT_DIRECTORY ${package_dir}/${folder}
            CXX_STANDARD_REQUIRED ON
            CXX_VISIBILITY_PRESET hidden
            BUILD_WITH_INSTALL_RPATH ON
            INSTALL_RPATH ""
    )
    operators_hide_paths(${target})
    add_dependencies(${target} cannery_generate)
    add_dependencies(cannery_operators ${target})
    set(package_files ${package_files} ${path} PARENT_SCOPE)
endfunction()

# Keeps folder names of this machine out of the files, so that the same sources give the same bytes in every folder.
function(operators_hide_paths target)
    target_compile_options(
        ${target}
        PRIVATE -ffile-prefix-map=${project_dir}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build
    )
endfunction()

# Compiles op_host as the toolkit's project does: as C++11, and without the twin's internal headers.
function(operators_compile_host target)
    set_target_properties(
        ${target}
        PROPERTIES
            CXX_STANDARD 11
            CXX_STANDARD_REQUIRED ON
            CXX_EXTENSIONS OFF
            CXX_VISIBILITY_PRESET hidden
            POSITION_INDEPENDENT_CODE ON
    )
    target_include_directories(
        ${target}
        PRIVATE
            ${project_dir}/op_host/aclnn
            ${project_dir}/op_kernel
            ${generated_dir}/op_host
            ${generated_dir}/include
    )
    target_compile_options(${target} PRIVATE -Wall -Wextra)
    target_link_libraries(${target} PRIVATE twin_include)
    add_dependencies(${target} cannery_generate)
endfunction()

# If CANNERY_UNITS is on, compiles the sources as one translation unit. Only cannery's own build has this option.
function(operators_compile_as_unit target name)
    if(CANNERY_UNITS)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
        set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${name})
    endif()
endfunction()

# libcust_opapi.so contains the public and inner aclnn functions of all operators, and nothing that
# registers an operator.
function(operators_add_api_library)
    file(
        GLOB sources
        CONFIGURE_DEPENDS
        ${project_dir}/op_host/aclnn/*.cpp
        ${project_dir}/op_host/aclnn/common/*.cpp
    )
    operators_generated_like("/op_host/aclnn_.*_phase2\\.cpp$" phase2)
    operators_generated_like("/op_host/aclnn_.*_forward\\.cpp$" forward)
    foreach(path IN LISTS forward)
        get_filename_component(name ${path} NAME)
        string(REPLACE "_forward.cpp" ".cpp" name ${name})
        if(NOT EXISTS ${project_dir}/op_host/aclnn/${name})
            list(APPEND sources ${path})
        endif()
    endforeach()
    operators_generated_like("/op_host/aclnnInner_.*\\.cpp$" inner)
    add_library(cust_opapi_host OBJECT ${sources} ${phase2})
    operators_compile_host(cust_opapi_host)
    operators_compile_as_unit(cust_opapi_host phase2 ${phase2})
    operators_hide_paths(cust_opapi_host)
    add_library(cust_opapi SHARED ${inner})
    target_compile_features(cust_opapi PRIVATE cxx_std_17)
    operators_compile_as_unit(cust_opapi inner ${inner})
    operators_set_output(cust_opapi op_api/lib/libcust_opapi.so)
    target_link_libraries(cust_opapi PRIVATE cust_opapi_host nnopbase ascendcl)
    target_link_options(cust_opapi PRIVATE ${operators_link_flags})
    set(package_files ${package_files} PARENT_SCOPE)
endfunction()

# libcannery_calls.so has one function per operator. This function calls the operator's aclnn function with values that
# are known at run time only. The library links no operators: its caller passes the addresses of the aclnn functions.
function(operators_add_calls)
    operators_generated_like("/calls/.*\\.cpp$" sources)
    add_library(cannery_calls SHARED ${sources})
    target_compile_features(cannery_calls PRIVATE cxx_std_17)
    operators_compile_as_unit(cannery_calls calls ${sources})
    target_include_directories(cannery_calls PRIVATE ${generated_dir}/include)
    target_compile_options(cannery_calls PRIVATE -Wall -Wextra)
    target_link_libraries(cannery_calls PRIVATE twin_include)
    operators_set_output(cannery_calls cannery/lib/libcannery_calls.so)
    set(package_files ${package_files} PARENT_SCOPE)
endfunction()

# Adds libcust_<name>_rt2.0.so in `folder`, one of the libraries that the runtime loads when it needs an operator. It
# contains all sources of op_host that register something; `macro` is defined while they are compiled.
function(operators_add_host_library name macro folder)
    file(GLOB sources CONFIGURE_DEPENDS ${project_dir}/op_host/*.cpp)
    set(definitions)
    if(NOT arg_PROTO_DIR)
        operators_generated_like("/op_host/.*_def\\.cpp$" definitions)
    endif()
    add_library(cust_${name} SHARED ${sources} ${definitions})
    operators_compile_host(cust_${name})
    foreach(definition IN LISTS definitions)
        get_filename_component(op ${definition} NAME)
        string(REPLACE "_def.cpp" "" op ${op})
        set(parts ${sources} ${definition})
        list(FILTER parts INCLUDE REGEX "/${op}_(def|infershape|tiling)\\.cpp$")
        operators_compile_as_unit(cust_${name} ${op} ${parts})
    endforeach()
    target_compile_definitions(cust_${name} PRIVATE ${macro})
    if(name STREQUAL opmaster)
        # Tools read the field names of plain tiling structs from the debug information.
        target_compile_options(cust_${name} PRIVATE -g)
    endif()
    operators_set_output(cust_${name} ${folder}/libcust_${name}_rt2.0.so)
    target_link_libraries(cust_${name} PRIVATE twin_op_host)
    target_link_options(cust_${name} PRIVATE ${operators_link_flags})
    set(package_files ${package_files} PARENT_SCOPE)
endfunction()

# Compiles each generated wrapper to <op>_<row>.so, and also to <op>_<row>.cube.so if the kernel runs on both kinds of
# core. `row` is the number of a dtype combination of the operator. All SoCs use the same kernels in one folder, to
# which each SoC's binary_info_config.json refers.
function(operators_add_kernels)
    operators_take_out_launches(copies)
    operators_keep_comments(comments)
    operators_find_launcher(launcher)
    operators_generated_like("/kernel/.*\\.cpp$" wrappers)
    operators_note_edits("${wrappers}")
    foreach(wrapper IN LISTS wrappers)
        get_filename_component(name ${wrapper} NAME_WE)
        string(REGEX REPLACE "_[0-9]+$" "" op ${name})
        operators_find_cores(${op} cores)
        set(suffix "")
        foreach(core IN LISTS cores)
            set(target kernel_${name}${suffix})
            add_library(${target} MODULE ${wrapper} ${copies} ${comments})
            target_compile_features(${target} PRIVATE cxx_std_17)
            operators_set_output(${target} ${tbe}/kernel/twin/${op}/${name}${suffix}.so)
            set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
            target_link_libraries(${target} PRIVATE twin_kernel_${core})
            if(copies)
                target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/kernel_sources)
            endif()
            target_include_directories(${target} PRIVATE ${project_dir}/op_kernel)
            target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/kernel_comments)
            if(arg_PROTO_DIR)
                target_include_directories(${target} PRIVATE ${project_dir}/op_host)
            endif()
            foreach(option IN LISTS arg_KERNEL_OPTIONS)
                if(option MATCHES "^(ALL|${op})\\|(.*)$")
                    target_compile_options(${target} PRIVATE ${CMAKE_MATCH_2})
                endif()
            endforeach()
            set(suffix ".cube")
        endforeach()
    endforeach()
    set(package_files ${package_files} PARENT_SCOPE)
endfunction()
