# SPDX-License-Identifier: Apache-2.0
# find_package(ASC): the toolkit's projects call it before project(... LANGUAGES ASC CXX). It
# defines the language of sources with kernels and launches (.asc), which `cannery cc` compiles. Its
# files are in asc/.

list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/asc)
# The toolkit's libraries by their names: lib/ has one for each that programs link by name.
link_directories(${CMAKE_CURRENT_LIST_DIR}/../lib)
