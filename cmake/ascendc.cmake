# SPDX-License-Identifier: Apache-2.0
# What the toolkit's kernel projects include from ASCEND_CANN_PACKAGE_PATH: ascendc_library and its companions.

get_filename_component(cannery_twin_dir ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
find_package(cannery CONFIG REQUIRED PATHS ${cannery_twin_dir}/cmake NO_DEFAULT_PATH)
