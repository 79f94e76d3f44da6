# SPDX-License-Identifier: Apache-2.0
# The ROCm that HIP is compiled with, in CMAKE_HIP_COMPILER_ROCM_ROOT: what was named, else that of the machine (the
# variable ROCM_PATH of the environment, /opt/rocm) with its own clang, else Debian's packages, collected below the
# build folder into the one folder that clang and CMake expect.
set(inlay_hip_root ${PROJECT_BINARY_DIR}/hip-root)
if(NOT CMAKE_HIP_COMPILER_ROCM_ROOT)
    foreach(root IN ITEMS "$ENV{ROCM_PATH}" /opt/rocm)
        if(root AND EXISTS ${root}/lib/cmake/hip-lang/hip-lang-config.cmake)
            set(CMAKE_HIP_COMPILER_ROCM_ROOT ${root} CACHE PATH "ROCm root")
            if(NOT CMAKE_HIP_COMPILER AND EXISTS ${root}/llvm/bin/clang++)
                set(CMAKE_HIP_COMPILER ${root}/llvm/bin/clang++ CACHE FILEPATH "HIP compiler")
            endif()
            break()
        endif()
    endforeach()
endif()
if(NOT CMAKE_HIP_COMPILER_ROCM_ROOT OR CMAKE_HIP_COMPILER_ROCM_ROOT STREQUAL inlay_hip_root)
    execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/hip-root.sh ${inlay_hip_root} RESULT_VARIABLE failed
        ERROR_VARIABLE why)
    if(failed)
        message(FATAL_ERROR "inlay: HIP needs ROCm (ROCM_PATH, /opt/rocm or CMAKE_HIP_COMPILER_ROCM_ROOT) or Debian's "
                            "packages: ${why}")
    endif()
    set(CMAKE_HIP_COMPILER_ROCM_ROOT ${inlay_hip_root} CACHE PATH "ROCm root")
endif()
if(NOT CMAKE_HIP_COMPILER)
    find_program(INLAY_HIP_CLANG NAMES clang++-19 REQUIRED)
    mark_as_advanced(INLAY_HIP_CLANG)
    set(CMAKE_HIP_COMPILER ${INLAY_HIP_CLANG} CACHE FILEPATH "HIP compiler")
endif()
if(NOT DEFINED CMAKE_HIP_FLAGS)     # CMake does not hand the root to the compiler
    set(CMAKE_HIP_FLAGS "--rocm-path=${CMAKE_HIP_COMPILER_ROCM_ROOT}" CACHE STRING "HIP flags")
endif()
set(CMAKE_HIP_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "HIP flags of the Release build")
message(STATUS "inlay: HIP by ${CMAKE_HIP_COMPILER} with ${CMAKE_HIP_COMPILER_ROCM_ROOT}")
