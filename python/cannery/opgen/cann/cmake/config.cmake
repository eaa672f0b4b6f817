# Settings for all parts of the project. The preset in CMakePresets.json sets most of them. Change others here: after
# this line, the variables have the values of the toolkit's template.
include(${toolkit_template}/cmake/config.cmake)
