# SPDX-License-Identifier: Apache-2.0
# Fails if a source outside tests/example and its document names the example's algorithm or kernel.
file(GLOB_RECURSE files ${ROOT}/core/* ${ROOT}/model/* ${ROOT}/device/* ${ROOT}/microbench/* ${ROOT}/algorithms/*
     ${ROOT}/store/* ${ROOT}/calibration/* ${ROOT}/reports/* ${ROOT}/cli/* ${ROOT}/tests/* ${ROOT}/scripts/*
     ${ROOT}/docs/* ${ROOT}/cmake/* ${ROOT}/CMakeLists.txt)
list(FILTER files EXCLUDE REGEX "/tests/example/|/docs/adding-an-algorithm\\.md$")
set(read 0)
foreach(file IN LISTS files)
  file(READ ${file} text)
  math(EXPR read "${read} + 1")
  if(text MATCHES "reduce.one.block|ReduceOneBlock|ReduceInOneBlock")
    message(FATAL_ERROR "${file} refers to the example algorithm: adding an algorithm must not require a change there")
  endif()
endforeach()
if(read LESS 200)
  message(FATAL_ERROR "only ${read} files were read: is ${ROOT} the project?")
endif()
