# SPDX-License-Identifier: Apache-2.0
# Portable programs: some of their units compiled once for each instruction set, of which a run takes the best that the
# processor has (docs/host.md, inlay/exec/host/paths.hpp).

# inlay_find_host_path_tools(MISSING): sets MISSING to what this build lacks for portable programs, or to nothing.
function(inlay_find_host_path_tools missing)
    find_program(INLAY_LD NAMES ld.bfd ld)
    find_program(INLAY_OBJCOPY NAMES objcopy)
    mark_as_advanced(INLAY_LD INLAY_OBJCOPY)
    set(${missing} "" PARENT_SCOPE)
    if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        set(${missing} "Linux on x86-64" PARENT_SCOPE)
    elseif(INLAY_SANITIZE)
        set(${missing} "a build without INLAY_SANITIZE" PARENT_SCOPE)
    elseif(NOT INLAY_LD OR NOT INLAY_OBJCOPY)
        set(${missing} "ld and objcopy of the GNU binutils" PARENT_SCOPE)
    endif()
endfunction()

# inlay_host_paths(TARGET SOURCES file...): adds the units to a program once for each path, with the options and
# libraries that the program has by then. It must have no -march of its own.
#
# The linker takes one definition of each inline function, of the standard library's too, whichever unit it is from:
# code for AVX-512 would be called by units that run without. So each path is joined to one object, in which calls are
# bound to its own definitions, and of whose symbols all but those of INLAY_HOST_PATH are then local. Initialisers of
# objects would run on any processor: they move to a section that is run when the path is chosen.
function(inlay_host_paths target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
    inlay_find_host_path_tools(missing)
    if(missing)
        message(FATAL_ERROR "inlay: a portable ${target} needs ${missing}")
    endif()
    target_compile_definitions(${target} PRIVATE INLAY_PORTABLE)
    set(flags_of_baseline -march=x86-64)
    set(flags_of_avx2 -march=x86-64-v3)
    set(flags_of_avx512 -march=x86-64-v4 -mavx512bf16)
    foreach(path baseline avx2 avx512)
        set(units ${target}_${path})
        add_library(${units} OBJECT ${arg_SOURCES})
        foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS COMPILE_FEATURES INCLUDE_DIRECTORIES LINK_LIBRARIES)
            get_target_property(values ${target} ${property})
            if(values)
                set_property(TARGET ${units} PROPERTY ${property} ${values})
            endif()
        endforeach()
        target_compile_definitions(${units} PRIVATE INLAY_HOST_PATH_NAME=${path})
        # Static objects of inline functions are else one in the whole process, which objcopy leaves so.
        target_compile_options(${units} PRIVATE ${flags_of_${path}} -fno-lto
            $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
        # One unit for all: what the files share is compiled once, which is half of what a unit costs.
        set_target_properties(${units} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
        set(joined ${CMAKE_CURRENT_BINARY_DIR}/${units}.joined.o)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${units}.o)
        add_custom_command(OUTPUT ${object}
            COMMAND ${INLAY_LD} -r --force-group-allocation -o ${joined} $<TARGET_OBJECTS:${units}>
            COMMAND ${INLAY_OBJCOPY} --wildcard --keep-global-symbol=inlay_host_path_*
                    --rename-section .init_array=inlay_init_${path} ${joined} ${object}
            COMMAND ${CMAKE_COMMAND} -E rm ${joined}
            DEPENDS ${units} $<TARGET_OBJECTS:${units}>
            COMMENT "Joining path ${path} of ${target}" COMMAND_EXPAND_LISTS VERBATIM)
        set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
        target_sources(${target} PRIVATE ${object})
    endforeach()
endfunction()
