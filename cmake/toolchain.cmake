# SPDX-License-Identifier: Apache-2.0
# Compilers of our own executables. A user of the target inlay::inlay never comes here.
include(CheckCXXCompilerFlag)

if(INLAY_NATIVE)
    check_cxx_compiler_flag(-march=native INLAY_HAS_MARCH_NATIVE)
endif()

if(INLAY_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    find_program(INLAY_CCACHE ccache)
    mark_as_advanced(INLAY_CCACHE)
    if(INLAY_CCACHE)
        # What one clone compiled serves the next: paths count from here. Behind a precompiled header too, as nothing here
        # has the time in it (__TIME__). By the text of included files, not by what the preprocessor makes of it: that is
        # the same for other comments and includes, and to #pragma once a precompiled header of those is another file.
        set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
            CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 ${INLAY_CCACHE})
        foreach(language CXX CUDA HIP)
            if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
                set(CMAKE_${language}_COMPILER_LAUNCHER ${launcher})
            endif()
        endforeach()
    endif()
endif()

if(INLAY_CUDA)
    if(INLAY_TOP_LEVEL AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES ${INLAY_CUDA_ARCHITECTURES})
    endif()
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
        message(FATAL_ERROR "inlay: nvcc 12.4 or newer is needed, found ${CMAKE_CUDA_COMPILER_VERSION}")
    endif()
endif()

if(INLAY_HIP)
    if(INLAY_TOP_LEVEL)
        include(${CMAKE_CURRENT_LIST_DIR}/rocm.cmake)
        if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)
            set(CMAKE_HIP_ARCHITECTURES ${INLAY_HIP_ARCHITECTURES})
        endif()
    endif()
    enable_language(HIP)
endif()
