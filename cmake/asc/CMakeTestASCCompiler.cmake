# SPDX-License-Identifier: Apache-2.0
# A first program would tell what the first source tells.

set(CMAKE_ASC_COMPILER_WORKS 1)
