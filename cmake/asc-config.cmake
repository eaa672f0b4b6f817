# SPDX-License-Identifier: Apache-2.0
# The toolkit's projects call find_package(ASC) before project(... LANGUAGES ASC CXX). ASC is the language of sources
# with kernels and launches (.asc), which `cannery cc` compiles. The files of the language are in asc/.

list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/asc)
# lib/ has a library for each of the toolkit's libraries that programs link by name.
link_directories(${CMAKE_CURRENT_LIST_DIR}/../lib)
include(${CMAKE_CURRENT_LIST_DIR}/asc/npu_op.cmake)
