# SPDX-License-Identifier: Apache-2.0
# find_package(ASC), as the toolkit's projects write it before project(... LANGUAGES ASC CXX): the language of sources
# with kernels and launches (.asc), compiled by `cannery cc`. Its files are in asc/.

list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/asc)
# The toolkit's libraries by their names: lib/ has one for each that is linked by hand.
link_directories(${CMAKE_CURRENT_LIST_DIR}/../lib)
