# SPDX-License-Identifier: Apache-2.0
# The package: headers, `inlay-config.cmake` and one export per component, so that a user of the algebra alone needs
# none of the libraries that files and pictures need.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(inlay_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/inlay)

install(TARGETS inlay EXPORT inlay-targets FILE_SET HEADERS)
install(EXPORT inlay-targets NAMESPACE inlay:: DESTINATION ${inlay_package_dir})
if(INLAY_IO)
    install(TARGETS inlay_io EXPORT inlay-io-targets FILE_SET HEADERS)
    install(EXPORT inlay-io-targets NAMESPACE inlay:: DESTINATION ${inlay_package_dir})
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/Findutf8proc.cmake DESTINATION ${inlay_package_dir})
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/inlay-config.cmake.in
    ${PROJECT_BINARY_DIR}/inlay-config.cmake INSTALL_DESTINATION ${inlay_package_dir})
configure_file(${CMAKE_CURRENT_LIST_DIR}/inlay-config-version.cmake.in
    ${PROJECT_BINARY_DIR}/inlay-config-version.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/inlay-config.cmake ${PROJECT_BINARY_DIR}/inlay-config-version.cmake
    ${CMAKE_CURRENT_LIST_DIR}/host_paths.cmake DESTINATION ${inlay_package_dir})
