# SPDX-License-Identifier: Apache-2.0
# ASCEND_DIR is a directory with include/ and lib/ or lib64/: the twin of an installed cannery (`cannery flags --cflags`
# prints its include/), or a CANN toolkit. OPP_DIR is the op_api directory of the operator package, by default the
# twin's op_api directory.
set(ASCEND_DIR "" CACHE PATH "Twin or toolkit: include/ and lib/ or lib64/")
set(OPP_DIR
    "${ASCEND_DIR}/opp/vendors/cannery/op_api"
    CACHE PATH
    "Operator package: include/ and lib/"
)

enable_testing()

# Builds main.cpp, which calls the operator of aclnn_<op>.h, and runs it as a test.
function(add_client name op)
    find_path(acl_include acl/acl.h HINTS ${ASCEND_DIR}/include REQUIRED)
    find_path(aclnnop_include aclnnop/aclnn_${op}.h HINTS ${OPP_DIR}/include REQUIRED)
    find_library(ascendcl ascendcl HINTS ${ASCEND_DIR}/lib ${ASCEND_DIR}/lib64 REQUIRED)
    find_library(nnopbase nnopbase HINTS ${ASCEND_DIR}/lib ${ASCEND_DIR}/lib64 REQUIRED)
    find_library(cust_opapi cust_opapi HINTS ${OPP_DIR}/lib REQUIRED)
    # The linker searches this folder for libraries that ascendcl, nnopbase and cust_opapi need.
    get_filename_component(ascend_lib ${ascendcl} DIRECTORY)

    add_executable(${name} main.cpp)
    set_target_properties(${name} PROPERTIES CXX_STANDARD 11 CXX_STANDARD_REQUIRED ON)
    target_include_directories(${name} PRIVATE ${acl_include} ${aclnnop_include})
    target_link_libraries(${name} PRIVATE ${cust_opapi} ${nnopbase} ${ascendcl})
    target_link_options(${name} PRIVATE -Wl,-rpath-link,${ascend_lib})
    add_test(NAME ${name} COMMAND ${name})
endfunction()
