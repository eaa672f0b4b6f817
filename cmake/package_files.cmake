# SPDX-License-Identifier: Apache-2.0
# Functions for operators.cmake that copy files into a package of operators.

include_guard(GLOBAL)

# Copies all files except libraries into the package: headers, lists of operators and kernels, kernel sources, and the
# description of the operators for Python.
function(operators_add_files vendor version)
    set(pairs)
    operators_pair("/include/aclnnop/.*\\.h$" op_api/include/aclnnop)
    operators_pair("/graph/.*\\.h$" op_proto/inc)
    operators_pair("/proto/.*\\.json$" cannery/proto)
    operators_generated_like("/package/[^/]*/aic-.*\\.json$" lists)
    foreach(list IN LISTS lists)
        get_filename_component(folder ${list} DIRECTORY)
        get_filename_component(soc ${folder} NAME)
        operators_pair("/package/${soc}/aic-" ${tbe}/config/${soc})
        operators_pair("/package/${soc}/binary_info" ${tbe}/kernel/config/${soc})
    endforeach()
    operators_find_kernel_sources(kernels)
    foreach(kernel IN LISTS kernels)
        file(RELATIVE_PATH place ${kernel_dir} ${kernel})
        list(APPEND pairs "${kernel}|${tbe}/${vendor}_impl/dynamic/${place}")
    endforeach()

    # One command copies all files of a folder: a process per file would take longer than the copies.
    set(folders)
    foreach(pair IN LISTS pairs)
        string(REGEX MATCH "^(.*)\\|(.*)/([^/]*)$" pair ${pair})
        list(APPEND folders ${CMAKE_MATCH_2})
        list(APPEND from_${CMAKE_MATCH_2} ${CMAKE_MATCH_1})
        list(APPEND to_${CMAKE_MATCH_2} ${package_dir}/${CMAKE_MATCH_2}/${CMAKE_MATCH_3})
        list(APPEND package_files ${CMAKE_MATCH_2}/${CMAKE_MATCH_3})
    endforeach()
    list(REMOVE_DUPLICATES folders)
    set(outputs)
    foreach(folder IN LISTS folders)
        add_custom_command(
            OUTPUT ${to_${folder}}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${package_dir}/${folder}
            COMMAND ${CMAKE_COMMAND} -E copy ${from_${folder}} ${package_dir}/${folder}
            DEPENDS ${from_${folder}}
            VERBATIM
        )
        list(APPEND outputs ${to_${folder}})
    endforeach()
    add_custom_target(cannery_package_files DEPENDS ${outputs})
    add_dependencies(cannery_package_files cannery_generate)
    add_dependencies(cannery_operators cannery_package_files)

    file(
        CONFIGURE
        OUTPUT ${package_dir}/version.info
        CONTENT
            "custom_opp_compiler_version=cannery-${CANNERY_VERSION}\nversion=${version}\nmachine=${operators_arch}\n"
    )
    # Programs include these headers with or without aclnnop/.
    operators_generated_like("/include/aclnnop/.*\\.h$" headers)
    foreach(header IN LISTS headers)
        get_filename_component(name ${header} NAME)
        file(
            CONFIGURE
            OUTPUT ${package_dir}/op_api/include/${name}
            CONTENT "#include \"aclnnop/${name}\"\n"
        )
        list(APPEND package_files op_api/include/${name})
    endforeach()
    # Older toolkits load the tiling library by this name.
    set(link ${tbe}/op_tiling/liboptiling.so)
    file(MAKE_DIRECTORY ${package_dir}/${tbe}/op_tiling)
    file(
        CREATE_LINK lib/linux/${operators_arch}/libcust_opmaster_rt2.0.so ${package_dir}/${link}
        SYMBOLIC
    )
    file(CONFIGURE OUTPUT ${vendors_dir}/config.ini CONTENT "load_priority=${vendor}\n")
    set(package_files ${package_files} version.info ${link} PARENT_SCOPE)
endfunction()

# Appends "source|path in the package" to the list `pairs` for each generated file whose path matches `pattern`.
function(operators_pair pattern folder)
    operators_generated_like("${pattern}" paths)
    foreach(path IN LISTS paths)
        get_filename_component(name ${path} NAME)
        list(APPEND pairs "${path}|${folder}/${name}")
    endforeach()
    set(pairs ${pairs} PARENT_SCOPE)
endfunction()

# Removes files that earlier builds left for operators that no longer exist.
function(operators_prune)
    file(GLOB_RECURSE present RELATIVE ${package_dir} ${package_dir}/*)
    list(REMOVE_ITEM present ${package_files})
    list(TRANSFORM present PREPEND ${package_dir}/)
    file(REMOVE ${present})
endfunction()
