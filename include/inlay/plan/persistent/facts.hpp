// SPDX-License-Identifier: Apache-2.0
/// The numbers of a persistent program: what its types say, as data that constant expressions and tests walk over.
#pragma once

#include <inlay/plan/persistent/phase.hpp>

namespace inlay::inline INLAY_ABI::persistent {

struct WaitFacts {
    int phase = 0;
    bool group = false, last = false;
};
struct UseFacts {
    int buffer = 0;
    bool group = false, writes = false;
};
struct PhaseFacts {
    static constexpr int most_waits = 8, most_uses = 12;

    const char* name = "";
    int tiles = 0, groups = 1, section = 0;
    WaitFacts waits[most_waits] = {};
    UseFacts uses[most_uses] = {};
    int wait_count = 0, use_count = 0;
};
struct BufferFacts {
    int bytes = 0;
    bool kept = false;
};
struct ProgramFacts {
    static constexpr int most_phases = 16, most_buffers = 24, most_sections = 6;

    PhaseFacts phases[most_phases] = {};
    BufferFacts buffers[most_buffers] = {};
    bool repeats[most_sections] = {};
    int phase_count = 0, buffer_count = 0, section_count = 0;
};

namespace detail {

using inlay::detail::appended;
using inlay::detail::index_in;

template <class Found, class... Use>
struct BuffersOf {
    using type = Found;
};
template <class Found, class Use, class... More>
struct BuffersOf<Found, Use, More...> : BuffersOf<typename appended<Found, typename Use::buffer>::type, More...> {};

template <class Uses>
struct BuffersOfUses;
template <class... Use>
struct BuffersOfUses<types<Use...>> : BuffersOf<types<>, Use...> {};

template <class Phases>
struct UsesOf;
template <class... Phase>
struct UsesOf<types<Phase...>> {
    using type = join_types<typename Phase::reads..., typename Phase::writes...>;
};

}  // namespace detail

/// The buffers of a program, in the order of their numbers.
template <class P>
using buffers_of = typename detail::BuffersOfUses<typename detail::UsesOf<typename P::phases>::type>::type;
/// The number of a buffer, and of a phase.
template <class P, class B>
inline constexpr int buffer_number = detail::index_in<buffers_of<P>, B>;
template <class P, class Phase>
inline constexpr int phase_number = detail::index_in<typename P::phases, Phase>;

namespace detail {

template <class P, class Phase>
constexpr PhaseFacts phase_facts(int section) {
    static_assert(Phase::tiles > 0 && Phase::groups > 0 && Phase::tiles % Phase::groups == 0,
                  "inlay: a phase of a persistent program has tiles, and its groups divide them");
    PhaseFacts f{Phase::name, Phase::tiles, Phase::groups, section};
    const auto wait = [&]<class W>(W) {
        static_assert(phase_number<P, typename W::phase> >= 0,
                      "inlay: a phase of a persistent program waits for a phase that is not in the program");
        static_assert(!W::group || W::phase::groups == Phase::groups,
                      "inlay: a phase waits by groups for a phase that has another number of groups");
        f.waits[f.wait_count++] = {phase_number<P, typename W::phase>, W::group, W::last};
    };
    const auto use = [&]<class U>(U, bool writes) {
        f.uses[f.use_count++] = {buffer_number<P, typename U::buffer>, U::group, writes};
    };
    [&]<class... W>(types<W...>) { (wait(W{}), ...); }(typename Phase::waits{});
    [&]<class... U>(types<U...>) { (use(U{}, false), ...); }(typename Phase::reads{});
    [&]<class... U>(types<U...>) { (use(U{}, true), ...); }(typename Phase::writes{});
    return f;
}

}  // namespace detail

template <class P>
constexpr ProgramFacts facts_of() {
    ProgramFacts f;
    const auto section = [&]<class S>(S) {
        [&]<class... Phase>(types<Phase...>) {
            ((f.phases[f.phase_count++] = detail::phase_facts<P, Phase>(f.section_count)), ...);
        }(typename S::phases{});
        f.repeats[f.section_count++] = S::repeats;
    };
    [&]<class... S>(types<S...>) { (section(S{}), ...); }(typename P::sections{});
    [&]<class... B>(types<B...>) { ((f.buffers[f.buffer_count++] = {B::bytes, B::kept}), ...); }(buffers_of<P>{});
    return f;
}

}  // namespace inlay::inline INLAY_ABI::persistent
