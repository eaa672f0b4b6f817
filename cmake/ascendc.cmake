# SPDX-License-Identifier: Apache-2.0
# The toolkit's kernel projects include this file from ASCEND_CANN_PACKAGE_PATH. It defines ascendc_library and related
# functions (kernels.cmake).

get_filename_component(cannery_twin_dir ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
find_package(cannery CONFIG REQUIRED PATHS ${cannery_twin_dir}/cmake NO_DEFAULT_PATH)
