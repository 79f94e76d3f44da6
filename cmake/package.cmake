# SPDX-License-Identifier: Apache-2.0
# `cpack` in the build folder: libinlay-dev_VERSION_all.deb, the headers and what finds them. The libraries of inlay::io
# are suggestions: the algebra alone needs none.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME inlay)
set(CPACK_PACKAGE_VENDOR Inlay)
set(CPACK_PACKAGE_CONTACT "Inlay's maintainers <inlay@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "fused kernels for CPUs and GPUs as C++ types (headers)")
set(CPACK_PACKAGE_DESCRIPTION "A header-only C++20 library in which a fused kernel is a C++ type.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libinlay-dev)
set(CPACK_DEBIAN_DEV_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DEV_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "g++ (>= 4:12), nlohmann-json3-dev, libpng-dev, libutf8proc-dev")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libinlay-dev RENAME copyright
    COMPONENT dev)
include(CPack)
