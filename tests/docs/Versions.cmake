# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=... -DVERSION=... -P Versions.cmake: every file that names the project's version names this one; of the list
# of changes, the newest.
set(files CITATION.cff "\nversion: ([0-9.]+)\n" CHANGELOG.md "\n## ([0-9.]+)" packaging/conda/recipe.yaml
          "\n  version: \"([0-9.]+)\"\n")
while(files)
  list(POP_FRONT files file pattern)
  file(READ ${ROOT}/${file} text)
  string(REGEX MATCH "${pattern}" found "${text}")
  if(NOT found OR NOT CMAKE_MATCH_1 STREQUAL VERSION)
    message(FATAL_ERROR "${file} has version '${CMAKE_MATCH_1}', CMakeLists.txt ${VERSION}")
  endif()
endwhile()
