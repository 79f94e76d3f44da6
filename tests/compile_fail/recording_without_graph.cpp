// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a recording on this target needs its graphs: inlay/exec/graph.hpp
#include <inlay/exec/recording.hpp>

struct Device {
    struct Mark {
        static constexpr bool ahead = true;
    };
};

inlay::Recording<Device> wrong;
