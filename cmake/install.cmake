# SPDX-License-Identifier: Apache-2.0
# The package: headers, `inlay-config.cmake`, pkg-config's files and one export per component, so that a user of the
# algebra alone needs none of the libraries that files and pictures need. All but inlay-sd serves every architecture,
# hence below share/.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(inlay_package_dir ${CMAKE_INSTALL_DATADIR}/cmake/inlay)
set(inlay_pkgconfig_dir ${CMAKE_INSTALL_DATADIR}/pkgconfig)

install(TARGETS inlay EXPORT inlay-targets FILE_SET HEADERS COMPONENT dev)
install(EXPORT inlay-targets NAMESPACE inlay:: DESTINATION ${inlay_package_dir} COMPONENT dev)
if(INLAY_IO)
    install(TARGETS inlay_io EXPORT inlay-io-targets FILE_SET HEADERS COMPONENT dev)
    install(EXPORT inlay-io-targets NAMESPACE inlay:: DESTINATION ${inlay_package_dir} COMPONENT dev)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/Findutf8proc.cmake DESTINATION ${inlay_package_dir} COMPONENT dev)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/inlay-config.cmake.in
    ${PROJECT_BINARY_DIR}/inlay-config.cmake INSTALL_DESTINATION ${inlay_package_dir})
configure_file(${CMAKE_CURRENT_LIST_DIR}/inlay-config-version.cmake.in
    ${PROJECT_BINARY_DIR}/inlay-config-version.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/inlay-config.cmake ${PROJECT_BINARY_DIR}/inlay-config-version.cmake
    ${CMAKE_CURRENT_LIST_DIR}/host_paths.cmake DESTINATION ${inlay_package_dir} COMPONENT dev)

# pkg-config's files count from where they lie, as CMake's do: an installed tree may be moved.
file(RELATIVE_PATH inlay_prefix_of_pc /prefix/${inlay_pkgconfig_dir} /prefix)
foreach(name inlay inlay-io)
    if(name STREQUAL "inlay" OR INLAY_IO)
        configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
        install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${inlay_pkgconfig_dir} COMPONENT dev)
    endif()
endforeach()
