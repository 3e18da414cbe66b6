# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=... -DVERSION=... -P Versions.cmake: the version that a citation names, and the newest that the list of
# changes has, are the project's.
file(READ ${ROOT}/CITATION.cff citation)
file(READ ${ROOT}/CHANGELOG.md changes)
string(REGEX MATCH "\nversion: ([0-9.]+)\n" _ "${citation}")
set(cited "${CMAKE_MATCH_1}")
string(REGEX MATCH "\n## ([0-9.]+)" _ "${changes}")
set(newest "${CMAKE_MATCH_1}")
if(NOT cited STREQUAL VERSION OR NOT newest STREQUAL VERSION)
  message(FATAL_ERROR "CMakeLists.txt has version ${VERSION}, CITATION.cff '${cited}', CHANGELOG.md '${newest}'")
endif()
