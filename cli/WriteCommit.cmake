# Writes FILE with the commit of SOURCE, at every build, and touches it only when the commit is another one.
cmake_minimum_required(VERSION 3.25)
set(commit "${FATHOM_COMMIT}")
if(NOT commit)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(commit unknown)
  endif()
endif()
file(CONFIGURE OUTPUT ${FILE} CONTENT "#pragma once\n\nnamespace fathom::cli {\ninline constexpr const char* commit = \"@commit@\";\n}\n" @ONLY)
