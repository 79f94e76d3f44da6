# SPDX-License-Identifier: Apache-2.0

# Sets `out` to MAJOR.MINOR.PATCH, read from include/inlay/version.hpp: the header is the one place that states it.
function(inlay_read_version out)
    set(header ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/inlay/version.hpp)
    file(STRINGS ${header} lines REGEX "^#define INLAY_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
    set(numbers "")
    foreach(part MAJOR MINOR PATCH)
        if(NOT lines MATCHES "INLAY_VERSION_${part} ([0-9]+)")
            message(FATAL_ERROR "inlay: INLAY_VERSION_${part} is not defined in ${header}")
        endif()
        list(APPEND numbers ${CMAKE_MATCH_1})
    endforeach()
    list(JOIN numbers "." version)
    set(${out} ${version} PARENT_SCOPE)
endfunction()
