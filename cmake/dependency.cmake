# SPDX-License-Identifier: Apache-2.0

# inlay_dependency(OUT PACKAGE TARGET [OTHER...])
# Sets OUT to the target of a library: one that the project around this one has, under the name of its package or
# another that its own sources give it (FetchContent, add_subdirectory), else that of find_package.
function(inlay_dependency out package)
    foreach(target IN LISTS ARGN)
        if(TARGET ${target})
            set(${out} ${target} PARENT_SCOPE)
            return()
        endif()
    endforeach()
    find_package(${package} REQUIRED)
    list(GET ARGN 0 target)
    set(${out} ${target} PARENT_SCOPE)
endfunction()
