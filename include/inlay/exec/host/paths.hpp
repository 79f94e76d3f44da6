// SPDX-License-Identifier: Apache-2.0
/// Paths of a portable program: units that are compiled once for each of three instruction sets, of which a run takes
/// the best that the processor has. docs/host.md says how a program is built so, and why its linker may not merge them.
///
///     INLAY_HOST_PATHS(Layer, layer_here)               // in a header of the program: Layer is a struct of pointers
///     INLAY_HOST_PATH(layer_here){.run = run};          // in a unit of the paths
///     layer_here().run(x);                              // in a unit that is compiled once
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/core/processor.hpp>

#include <cstddef>
#include <cstdlib>

namespace inlay::inline INLAY_ABI {

/// Initialises an object of a unit.
using HostInitialiser = void (*)();

/// One path of a program. Its initialisers run when it is chosen: before, they may be code for another processor.
struct HostPath {
    const char* name;
    bool runs;                                  ///< on this processor
    const void* entry;                          ///< of the program's own type
    const HostInitialiser *begin = nullptr, *end = nullptr;
};

/// The best of the paths, of which the last is the best, or the one that `forced` names. Null and "" force none.
inline const HostPath& choose_host_path(const HostPath* paths, std::size_t n, const char* forced) {
    const bool any = forced == nullptr || *forced == 0;
    const HostPath *best = nullptr, *named = nullptr;
    bool several = false;
    Text all, usable;
    for (const HostPath* p = paths; p != paths + n; ++p) {
        all += (all.empty() ? "" : ", ") + Text(p->name);
        several = several || (p->runs && !usable.empty());
        if (p->runs) usable += (usable.empty() ? "" : ", ") + Text(p->name);
        if (p->runs) best = p;
        if (!any && Letters(p->name) == Letters(forced)) named = p;
    }
    require(best != nullptr, "this program has code for ", all, ", none of which this processor runs");
    if (any) return *best;
    require(named != nullptr, host_path_variable, " is '", forced, "', of which this program has no code, expected ",
            n > 1 ? "one of " : "", all);
    require(named->runs, host_path_variable, " is '", forced, "', which this processor does not run, expected ",
            several ? "one of " : "", usable);
    return *named;
}

/// Chooses as INLAY_HOST_ISA says, and runs the path's initialisers.
template <std::size_t N>
const void* enter_host_path(const HostPath (&paths)[N]) {
    const HostPath& chosen = choose_host_path(paths, N, std::getenv(host_path_variable));
    for (const HostInitialiser* i = chosen.begin; i != chosen.end; ++i)
        if (*i != nullptr) (*i)();
    return chosen.entry;
}

}  // namespace inlay::inline INLAY_ABI

/// Declares the paths' objects of a type and a function that returns the one of this run, chosen in its first call.
/// Without a portable build there is one path, `native`: the units as all others are compiled. `INLAY_PORTABLE` and,
/// for the units of a path, `INLAY_HOST_PATH_NAME` come from cmake/host_paths.cmake, which also moves the initialisers
/// of a path to a section of its own.
#if defined(INLAY_PORTABLE)
#define INLAY_HOST_PATHS(type, function)                                                                    \
    INLAY_DECLARE_HOST_PATH(type, baseline, function)                                                       \
    INLAY_DECLARE_HOST_PATH(type, avx2, function)                                                           \
    INLAY_DECLARE_HOST_PATH(type, avx512, function)                                                         \
    INLAY_DEFINE_HOST_CHOICE(type, function, INLAY_AMX_ROW(function),                                       \
                             INLAY_HOST_PATH_ROW(baseline, true, function),                                 \
                             INLAY_HOST_PATH_ROW(avx2, inlay::processor_runs_avx2(), function),             \
                             INLAY_HOST_PATH_ROW(avx512, inlay::processor_runs_avx512(), function))
#define INLAY_DECLARE_HOST_PATH(type, path, function)                                                       \
    extern "C" {                                                                                            \
    extern const type inlay_host_path_##path##_##function;                                                  \
    [[gnu::weak]] extern const inlay::HostInitialiser __start_inlay_init_##path[];                          \
    [[gnu::weak]] extern const inlay::HostInitialiser __stop_inlay_init_##path[];                           \
    }
#define INLAY_HOST_PATH_ROW(path, runs, function)                                                           \
    {#path, runs, &inlay_host_path_##path##_##function, __start_inlay_init_##path, __stop_inlay_init_##path}
/// A name for the path avx512 where it has tile registers (`tile/host/amx.hpp`), which it takes unnamed too. Before all
/// others, so that the best path keeps its own name.
#define INLAY_AMX_ROW(function)                                                                             \
    {"amx", inlay::processor_runs_amx(), &inlay_host_path_avx512_##function, __start_inlay_init_avx512,     \
     __stop_inlay_init_avx512}
#else
#define INLAY_HOST_PATHS(type, function)                                                                    \
    extern "C" {                                                                                            \
    extern const type inlay_host_path_native_##function;                                                    \
    }                                                                                                       \
    INLAY_DEFINE_HOST_CHOICE(type, function, {"native", true, &inlay_host_path_native_##function})
#define INLAY_HOST_PATH_NAME native
#endif
#define INLAY_DEFINE_HOST_CHOICE(type, function, ...)                                                       \
    inline const type& function() {                                                                         \
        static const void* const chosen = [] {                                                              \
            const inlay::HostPath paths[] = {__VA_ARGS__};                                                  \
            return inlay::enter_host_path(paths);                                                           \
        }();                                                                                                \
        return *static_cast<const type*>(chosen);                                                           \
    }

/// Begins the definition of a path's object: INLAY_HOST_PATH(function){...};
#define INLAY_HOST_PATH(function)                                                                           \
    constinit decltype(INLAY_HOST_PATH_OF(INLAY_HOST_PATH_NAME, function))                                  \
        INLAY_HOST_PATH_OF(INLAY_HOST_PATH_NAME, function)
#define INLAY_HOST_PATH_OF(path, function) INLAY_HOST_PATH_OF2(path, function)
#define INLAY_HOST_PATH_OF2(path, function) inlay_host_path_##path##_##function
