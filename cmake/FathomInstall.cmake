# SPDX-License-Identifier: Apache-2.0
# The install tree: the command, the libraries with their headers (installed by fathom_library), and the files for
# find_package(fathom).
include(CMakePackageConfigHelpers)

get_property(fathom_libraries GLOBAL PROPERTY FATHOM_LIBRARIES)
install(TARGETS ${fathom_libraries} EXPORT fathom)
install(EXPORT fathom NAMESPACE fathom:: FILE fathomTargets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fathom)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fathomConfig.cmake.in ${PROJECT_BINARY_DIR}/fathomConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fathom)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fathomConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fathomConfig.cmake ${PROJECT_BINARY_DIR}/fathomConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake ${PROJECT_SOURCE_DIR}/cmake/EmbedTextScript.cmake
              ${PROJECT_SOURCE_DIR}/cmake/EmbeddedTexts.cpp.in
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fathom)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
