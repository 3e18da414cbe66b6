# SPDX-License-Identifier: Apache-2.0
# Compares what is found with the least versions of prerequisites.txt.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/prerequisites.txt rows REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/prerequisites.txt)
foreach(row IN LISTS rows)
  string(REGEX MATCH "^[^ ]+ +([^ ]+) +([^ ]+) +([^ ]+)" row "${row}")
  set(FATHOM_LEAST_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  set(FATHOM_PACKAGE_${CMAKE_MATCH_1} ${CMAKE_MATCH_3})
endforeach()

# fathom_check_version(NAME VERSION): an error if the version found is too old. Compilers that are not listed are not
# compared.
function(fathom_check_version name version)
  if(DEFINED FATHOM_LEAST_${name} AND version VERSION_LESS FATHOM_LEAST_${name})
    message(FATAL_ERROR "${name} ${version} is too old: Fathom needs ${FATHOM_LEAST_${name}} or newer, in Debian 12 the "
                        "package ${FATHOM_PACKAGE_${name}} (scripts/prepare)")
  endif()
endfunction()

# fathom_find_package(NAME OPTION...): find_package, without its own comparison of versions, with which some packages
# refuse newer ones, too.
macro(fathom_find_package name)
  find_package(${name} ${ARGN})
  if(${name}_FOUND)
    fathom_check_version(${name} "${${name}_VERSION}")
  endif()
endmacro()
