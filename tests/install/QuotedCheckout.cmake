# SPDX-License-Identifier: Apache-2.0
# The commit of a checkout is written, and nothing of its path executed, wherever it is: small projects with the target for
# it from the folder CALLS are built below SCRATCH.
cmake_minimum_required(VERSION 3.25)
set(as_someone -c user.name=test -c user.email=test -c commit.gpgsign=false)

file(REMOVE_RECURSE ${SCRATCH})
file(WRITE ${SCRATCH}/bin/leave-trace "#!/bin/sh\n: >\"${SCRATCH}/executed\"\n")
file(CHMOD ${SCRATCH}/bin/leave-trace PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ENV{PATH} "${SCRATCH}/bin:$ENV{PATH}")

# The second alone would be executed if it were not quoted: the first would be a syntax error.
foreach(name "it's a $(leave-trace) `leave-trace` checkout" "a `leave-trace` checkout")
  set(checkout ${SCRATCH}/${name})
  file(COPY ${CALLS}/CommitHeader.cmake ${CALLS}/WriteCommit.cmake DESTINATION ${checkout})
  file(WRITE ${checkout}/CMakeLists.txt
       "cmake_minimum_required(VERSION 3.25)\nproject(checkout LANGUAGES NONE)\ninclude(CommitHeader.cmake)\n")
  # A commit of its own: without one, git would find that of a repository around it.
  foreach(arguments "init;--quiet" "${as_someone};commit;--quiet;--allow-empty;--message=test")
    execute_process(COMMAND git ${arguments} WORKING_DIRECTORY ${checkout} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${checkout} OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${checkout} -B ${checkout}/build COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${checkout}/build --target fathom_commit RESULT_VARIABLE status)
  if(EXISTS ${SCRATCH}/executed)
    message(SEND_ERROR "A part of the path '${checkout}' was executed")
  endif()
  if(NOT status EQUAL 0)
    message(SEND_ERROR "The target fathom_commit fails in '${checkout}': ${status}")
    continue()
  endif()
  file(READ ${checkout}/build/generated/commit.h header)
  if(NOT header MATCHES "\"${commit}\"")
    message(SEND_ERROR "The header in '${checkout}' does not name the commit ${commit}:\n${header}")
  endif()
endforeach()
