# SPDX-License-Identifier: Apache-2.0
# The target fathom_commit, which writes generated/commit.h at every build. A file of its own for the test that includes it
# in a folder with a difficult name.
set(FATHOM_COMMIT "" CACHE STRING "Commit recorded in data files; if empty, read from git at every build")
set(commit_header ${CMAKE_CURRENT_BINARY_DIR}/generated/commit.h)
add_custom_target(fathom_commit BYPRODUCTS ${commit_header}
                  COMMAND ${CMAKE_COMMAND} -DFILE=${commit_header} -DSOURCE=${PROJECT_SOURCE_DIR}
                          -DFATHOM_COMMIT=${FATHOM_COMMIT} -P ${CMAKE_CURRENT_LIST_DIR}/WriteCommit.cmake
                  VERBATIM)
