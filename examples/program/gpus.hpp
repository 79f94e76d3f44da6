// SPDX-License-Identifier: Apache-2.0
/// The GPUs of a build, and the one among them that --device names.
#pragma once

#include "numbers.hpp"

#include <inlay/core/error.hpp>

#include <cstddef>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string>

namespace program {

/// A vendor's GPUs, as far as this build can use them.
struct Gpus {
    const char* device;                            ///< of --device: "cuda"
    const char* executor;                          ///< of Inlay, for errors: "CUDA"
    bool built = false;                            ///< else the build lacks it, and there is no function
    int (*count)() = nullptr;                      ///< devices of this machine; throws where there are none
    std::string (*fault)(int device) = nullptr;    ///< why a GPU cannot be used, in one sentence; empty when it can
    /// A usable GPU and the engine this binary has for it: "NVIDIA H100 80GB HBM3 (sm_90), wgmma and mma.sync, from
    /// sm_90a code".
    std::string (*name)(int device) = nullptr;
    std::string (*target)(int device) = nullptr;   ///< its name in `explain`: "sm_90a"
};

/// The sentence of the error that `use()` throws, without the library's name; empty when it throws none.
template <class F>
std::string fault_of(const F& use) {
    try {
        use();
        return "";
    } catch (const inlay::Error& e) {
        const std::string text = e.what();
        return text.starts_with("inlay: ") ? text.substr(7) : text;
    }
}

/// Prints what --device may be, a line each: "cuda:0  NVIDIA H100 ...", and why a vendor's GPUs cannot be used.
inline void list_devices(std::initializer_list<Gpus> vendors, const std::string& cpu) {
    std::cout << "cpu     " << cpu << "\n";
    for (const Gpus& gpus : vendors) {
        const std::string vendor = gpus.device;
        int count = 0;
        const std::string none = gpus.built ? fault_of([&] { count = gpus.count(); })
                                            : std::string("this build has no ") + gpus.executor + " executor";
        if (count == 0) std::cout << vendor << ":    none: " << none << "\n";
        for (int i = 0; i < count; ++i) {
            const std::string fault = gpus.fault(i);
            std::cout << vendor << ":" << i << "  " << (fault.empty() ? gpus.name(i) : "unusable: " + fault) << "\n";
        }
    }
}

/// A vendor among those of the call, and the number of its GPU.
struct ChosenGpu {
    std::size_t vendor;
    int number;
};

/// The number among a vendor's GPUs that process `local` of a machine takes: GPUs go round, where a launcher shows each
/// process one alone, too.
inline int share_of_gpus(const Gpus& gpus, int local) {
    if (local == 0 || !gpus.built) return 0;
    int count = 0;
    fault_of([&] { count = gpus.count(); });
    return count > 0 ? local % count : 0;
}

/// The GPU that `device` requests, or none for the CPU; "auto" takes the first GPU of the first vendor that works.
/// `cpu`: the instruction set of its executor. `say`: to print the choice, and why a GPU was passed over. `local`: the
/// number of this process among those of the machine, which each have a GPU of their own where `device` has no number.
inline std::optional<ChosenGpu> choose_gpu(const std::string& device, const std::string& name_of_program,
                                           std::initializer_list<Gpus> vendors, const std::string& cpu, bool say,
                                           int local = 0) {
    if (device == "cpu") {
        if (say) std::cerr << "device: cpu, " << cpu << "\n";
        return {};
    }
    const bool any = device == "auto";
    std::string faults, expected;
    std::optional<ChosenGpu> chosen;
    bool known = any;
    std::size_t vendor = 0;
    for (const Gpus& gpus : vendors) {
        const std::size_t index = vendor++;
        expected.append(gpus.device).append(", ").append(gpus.device).append(":N, ");
        const std::optional<int> number = any || device == gpus.device ? share_of_gpus(gpus, local)
                                                                       : numbers::of_device(device, gpus.device);
        if (!number) continue;
        known = true;
        if (chosen || (any && !gpus.built)) continue;
        const std::string fault = gpus.built ? gpus.fault(*number)
                                             : "this build of " + name_of_program + " has no " + gpus.executor +
                                                   " executor";
        if (fault.empty()) chosen = ChosenGpu{index, *number};
        else if (any) faults.append(faults.empty() ? "" : "; ").append(fault);
        else inlay::fail(fault);
    }
    if (!known) inlay::fail("--device is '" + device + "', expected " + expected + "cpu or auto");
    if (!say) return chosen;
    if (chosen) {
        const Gpus& gpus = vendors.begin()[chosen->vendor];
        std::cerr << "device: " << gpus.device << ":" << chosen->number << ", " << gpus.name(chosen->number) << "\n";
    } else {
        if (faults.empty()) faults = "this build of " + name_of_program + " has no executor of a GPU";
        std::cerr << "device: cpu, " << cpu << " (" << faults << ")\n";
    }
    return chosen;
}

}  // namespace program
