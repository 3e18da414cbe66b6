# SPDX-License-Identifier: Apache-2.0
# Writes the commit of SOURCE to FILE. Runs at every build; leaves FILE untouched if the commit is the same.
cmake_minimum_required(VERSION 3.25)
set(commit "${FATHOM_COMMIT}")
if(NOT commit)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(commit unknown)
  endif()
endif()
file(CONFIGURE OUTPUT ${FILE} CONTENT "#pragma once\n\nnamespace fathom::calls {\ninline constexpr const char* commit = \"@commit@\";\n}\n" @ONLY)
