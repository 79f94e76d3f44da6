# SPDX-License-Identifier: Apache-2.0
# The GPU's kernels on the CPU: the same cases of the frames, compiled by g++ for a machine that checks every instruction.
# In fp16, and in fp32 where that takes other code; without optimisation, for the compiler's sake.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT INLAY_SANITIZE AND
   NOT INLAY_CUDA)
    file(GLOB emulated_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} frame/*_test.cpp)
    list(FILTER emulated_sources EXCLUDE REGEX "attention_variants|row_map")  # compared with PyTorch alone; without kernels
    list(APPEND emulated_sources tile/gpu/runtime/launcher_test.cu tile/gpu/runtime/plans_test.cu exec/graph_test.cu
        exec/planned_test.cu exec/gpu/executor_test.cu exec/cuda/decoder_test.cu exec/cuda/transformer_test.cu)
    set(emulated "")
    set(emulated_sm90a "")
    set(untyped 1)
    foreach(source IN LISTS emulated_sources)
        set(type inlay::fp16)
        if(source MATCHES "(linear|norm|conv2d_short)_test")
            string(APPEND type ", float")
        endif()
        string(MAKE_C_IDENTIFIER ${source} unit)
        configure_file(gpu/device/unit.cu.in emulated/${unit}.cpp @ONLY)
        if(source MATCHES "product_test|decoder_test")  # products as an engine of its own has them: those of sm_90a
            list(APPEND emulated_sm90a ${CMAKE_CURRENT_BINARY_DIR}/emulated/${unit}.cpp)
        else()
            list(APPEND emulated ${CMAKE_CURRENT_BINARY_DIR}/emulated/${unit}.cpp)
        endif()
        if(source MATCHES "(attention|mixed_operands|no_elements|not_finite|row_stats)_test")  # its engine, and what that leaves
            list(APPEND emulated_sm90a ${CMAKE_CURRENT_BINARY_DIR}/emulated/${unit}.cpp)
        endif()
    endforeach()
    file(GLOB tests_there CONFIGURE_DEPENDS gpu/emulated/*_test.cpp)
    file(GLOB machine CONFIGURE_DEPENDS gpu/emulated/*.cpp)
    list(REMOVE_ITEM machine ${tests_there})
    file(GLOB_RECURSE tests_of_sm90a CONFIGURE_DEPENDS gpu/emulated/sm90a/*_test.cpp
        tile/cuda/*_test.cpp tile/gpu/*_test.cpp)

    # Compiled for the emulator of a GPU as its compiler would compile it: of cuda, or of an architecture of HIP.
    function(inlay_emulated name gpu)
        target_include_directories(${name} BEFORE PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/gpu/emulated/include)
        target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
        if(gpu STREQUAL "cuda")
            target_compile_definitions(${name} PRIVATE __CUDACC__ __CUDA_ARCH_LIST__=900)
            set(runtime cuda_runtime.h)
        else()
            target_compile_definitions(${name} PRIVATE __HIP__ __HIP_DEVICE_COMPILE__=1 __${gpu}__)
            set(runtime hip/hip_runtime.h)
        endif()
        get_target_property(kind ${name} TYPE)
        if(INLAY_PRECOMPILE_TESTS AND kind STREQUAL "EXECUTABLE")
            target_precompile_headers(${name} PRIVATE <${runtime}> <gtest/gtest.h> <inlay/inlay.hpp>)
        else()
            target_compile_options(${name} PRIVATE -include ${runtime})
        endif()
        target_compile_options(${name} PRIVATE -fno-extern-tls-init -Wno-unknown-pragmas -Wno-unused -Wno-psabi)
        set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)  # errors name kernels
    endfunction()
    # The machine, whose warps are as wide as the GPU's.
    foreach(gpu cuda gfx942 gfx1100)
        set(vendor hip)
        if(gpu STREQUAL "cuda")
            set(vendor cuda)
        endif()
        file(GLOB machine_of_vendor CONFIGURE_DEPENDS gpu/emulated/${vendor}/*.cpp)
        list(FILTER machine_of_vendor EXCLUDE REGEX "_test\\.cpp$")
        add_library(emulated_${gpu} OBJECT ${machine} ${machine_of_vendor})
        target_link_libraries(emulated_${gpu} PRIVATE inlay::inlay)
        inlay_own_options(emulated_${gpu})
        inlay_emulated(emulated_${gpu} ${gpu})
        target_compile_options(emulated_${gpu} PRIVATE -O3)
    endforeach()

    # inlay_emulator_test(NAME GPU SOURCES file... [EXCEPT :pattern]): tests that run on its emulator.
    function(inlay_emulator_test name gpu)
        cmake_parse_arguments(PARSE_ARGV 2 arg "" "EXCEPT" "SOURCES")
        inlay_executable(${name}_test
            SOURCES ${arg_SOURCES} frame/torch_cases.cpp $<TARGET_OBJECTS:emulated_${gpu}> $<TARGET_OBJECTS:tests_folder>
            LINK ${gtest_main} ${CMAKE_DL_LIBS})
        inlay_emulated(${name}_test ${gpu})
        # Every load and store calls gpu/emulated/accesses.cpp.
        target_compile_options(${name}_test PRIVATE -O0 -fsanitize=kernel-address "SHELL:--param asan-stack=0"
            "SHELL:--param asan-globals=0" "SHELL:--param asan-instrumentation-with-call-threshold=0")
        # PyTorch's errors on a GPU are a measure for its tensor cores.
        add_test(NAME unit.${name} COMMAND ${name}_test --gtest_filter=-*AsExactAsPyTorch*${arg_EXCEPT})
        set_tests_properties(unit.${name} PROPERTIES ENVIRONMENT "${inlay_test_environment}" TIMEOUT 900)
    endfunction()
    # Random attentions of which each emulator has others.
    if(Python3_FOUND)
        inlay_random_attentions(emulated_attention .cpp 2 random_attentions --small --seed 5)
    endif()
    inlay_emulator_test(emulator cuda SOURCES ${tests_there} ${emulated} ${random_attentions})
    set_tests_properties(unit.emulator PROPERTIES COST 200)
    inlay_emulator_test(emulator_sm90a cuda SOURCES ${tests_of_sm90a} ${emulated_sm90a})
    target_compile_definitions(emulator_sm90a_test PRIVATE __CUDA_ARCH_FEAT_SM90_ALL)
    # Begun first: it takes as long as all other tests together, by one processor.
    set_tests_properties(unit.emulator_sm90a PROPERTIES COST 1000)

    # HIP's kernels likewise: waves of 64 lanes take all frames, waves of 32 those whose code differs there.
    set(cases_of_gfx942 attention attention_numbers attention_paged attention_rows fp8 conv2d conv2d_short elementwise linear norm reduce row_stats softmax)
    set(cases_of_gfx1100 linear norm reduce)
    file(GLOB tests_of_hip CONFIGURE_DEPENDS gpu/emulated/hip/*_test.cpp)
    set(seed_of_gfx942 3)
    set(seed_of_gfx1100 4)
    foreach(gpu gfx942 gfx1100)
        set(cases "")
        foreach(case IN LISTS cases_of_${gpu})
            set(source frame/${case}_test.cpp)
            set(type inlay::fp16)
            if(case STREQUAL "linear")  # its atoms differ
                string(APPEND type ", float")
            endif()
            set(unit ${CMAKE_CURRENT_BINARY_DIR}/emulated_${gpu}/${case}.cpp)
            configure_file(gpu/device/unit.cu.in ${unit} @ONLY)
            list(APPEND cases ${unit})
        endforeach()
        if(gpu STREQUAL "gfx942")   # the launcher, its plans and graphs, which no architecture changes
            foreach(source tile/gpu/runtime/launcher_test.cu exec/graph_test.cu exec/planned_test.cu)
                string(MAKE_C_IDENTIFIER ${source} unit)
                set(unit ${CMAKE_CURRENT_BINARY_DIR}/emulated_${gpu}/${unit}.cpp)
                configure_file(gpu/device/unit.cu.in ${unit} @ONLY)
                list(APPEND cases ${unit})
            endforeach()
        endif()
        if(Python3_FOUND)
            inlay_random_attentions(emulated_attention_${gpu} .cpp 2 random_attentions
                --small --seed ${seed_of_${gpu}})
        endif()
        inlay_emulator_test(emulator_${gpu} ${gpu}
            SOURCES ${tests_of_hip} tile/gpu/rows/packed_test.cpp ${cases} ${random_attentions}
            EXCEPT :Norm.GroupNormOfLargeMeans)  # for its time: the arithmetic is that of CUDA
        set_tests_properties(unit.emulator_${gpu} PROPERTIES COST 100)
    endforeach()
    # The tiny model in fp16; tests/nightly.sh has all of a picture.
    if(TARGET inlay::io)
        file(GLOB model_of_hip CONFIGURE_DEPENDS gpu/emulated/hip/model/*.cpp)
        inlay_emulator_test(emulator_gfx942_model gfx942 SOURCES ${model_of_hip} model/tiny.cpp
            EXCEPT :*TwentyGuidedSteps)
    endif()
else()
    message(STATUS "inlay: the emulator of a GPU is built by g++ on Linux, without CUDA and the sanitizers")
endif()
