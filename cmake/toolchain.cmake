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
        # What one clone compiled serves the next: paths count from here.
        set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${INLAY_CCACHE})
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
    if(INLAY_TOP_LEVEL AND NOT CMAKE_HIP_COMPILER AND NOT EXISTS /opt/rocm)
        # Debian's packages: collect them into the one folder that clang and CMake expect.
        set(inlay_hip_root ${PROJECT_BINARY_DIR}/hip-root)
        execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/hip-root.sh ${inlay_hip_root}
            COMMAND_ERROR_IS_FATAL ANY)
        find_program(INLAY_HIP_CLANG NAMES clang++-19 REQUIRED)
        set(CMAKE_HIP_COMPILER ${INLAY_HIP_CLANG} CACHE FILEPATH "HIP compiler")
        set(CMAKE_HIP_COMPILER_ROCM_ROOT ${inlay_hip_root} CACHE PATH "ROCm root")
        set(CMAKE_HIP_FLAGS "--rocm-path=${inlay_hip_root}" CACHE STRING "HIP flags")
    endif()
    if(INLAY_TOP_LEVEL AND NOT DEFINED CMAKE_HIP_ARCHITECTURES)
        set(CMAKE_HIP_ARCHITECTURES ${INLAY_HIP_ARCHITECTURES})
    endif()
    enable_language(HIP)
endif()
