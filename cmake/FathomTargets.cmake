# SPDX-License-Identifier: Apache-2.0
# For what is not performance-critical: -O3 takes longer to compile. GCC compiles functions with the optimization of
# their precompiled header, whatever the command line says, so there is one header for each.
set(FATHOM_QUICK_TO_COMPILE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)

# fathom_library(NAME [FAST] [BATCHES] [USES folder...] [WITHOUT path...] [SOURCES file...] [PRIVATE_LINKS target...]
#                [PUBLIC_LINKS target...])
#
# Compiles every .cpp file of the current folder and of those in it, but for the files and folders after WITHOUT;
# SOURCES are further ones, generated or chosen by the configuration.
#
# FAST: what predicting, fitting and counting spend their time in. BATCHES: several files are compiled at a time, which
# saves most of the time where their headers take longer than themselves. No two may have the same name in an anonymous
# namespace.
#
# One library per folder, fathom::NAME. Its headers are included as <fathom/NAME/...> both in the tree and after an
# install: each folder has its own include directory in the build tree, with a link of that name. So a folder sees only
# the folders in USES and those that they use; any other include does not compile.
function(fathom_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FAST;BATCHES" "" "USES;WITHOUT;SOURCES;PRIVATE_LINKS;PUBLIC_LINKS")
  set(target fathom_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(path IN LISTS arg_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${path}(/|$)")
  endforeach()
  set(include_directory ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${include_directory}/fathom)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include_directory}/fathom/${name} SYMBOLIC)

  add_library(${target} STATIC ${sources} ${arg_SOURCES})
  fathom_private_flags(${target})
  if(arg_FAST)
    target_precompile_headers(${target} REUSE_FROM fathom_precompiled_fast)
  else()
    target_compile_options(${target} PRIVATE ${FATHOM_QUICK_TO_COMPILE})
    target_precompile_headers(${target} REUSE_FROM fathom_precompiled)
  endif()
  if(arg_BATCHES AND FATHOM_BATCHES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
  target_link_libraries(${target} PRIVATE ${arg_PRIVATE_LINKS})
  if(FATHOM_FUZZERS AND NOT name MATCHES "algorithms|microbench")
    fathom_coverage_for_fuzzers(${target})
  endif()
  add_library(fathom::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${include_directory}>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM arg_USES PREPEND fathom_)
  target_link_libraries(${target} PUBLIC ${arg_USES} ${arg_PUBLIC_LINKS})
  set_property(GLOBAL APPEND PROPERTY FATHOM_LIBRARIES ${target})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fathom/${name}
          FILES_MATCHING PATTERN "*.h")
endfunction()

# Warnings and sanitizers, for Fathom's own targets only: none of this is exported.
function(fathom_private_flags target)
  set(gcc "$<COMPILE_LANG_AND_ID:CXX,GNU>")
  # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105329), and likewise bounds and
  # uninitialized values in the standard library, optimized or instrumented.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra>
    "$<${gcc}:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-maybe-uninitialized>")
  # Boost::headers and fmt::fmt define these: without them, a target that does not use both could not reuse the
  # precompiled header.
  target_compile_definitions(${target} PRIVATE BOOST_ALL_NO_LIB $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  if(FATHOM_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
  if(FATHOM_SANITIZE)
    # Undefined behaviour ends a program, as bad accesses do: what is only printed fails no test.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FATHOM_SANITIZE}
                                             -fno-sanitize-recover=all -fno-omit-frame-pointer>)
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${FATHOM_SANITIZE}>)
  endif()
endfunction()

# What a fuzzer has to see of a library: which branches were taken and what was compared. The same as
# -fsanitize=fuzzer-no-link, but of no concern to the precompiled headers, so that it can be had library by library.
function(fathom_coverage_for_fuzzers target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp>)
endfunction()
