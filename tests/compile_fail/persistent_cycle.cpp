// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a wait of a persistent program closes a cycle
#include <inlay/plan/persistent/storage.hpp>

using namespace inlay;
using namespace inlay::persistent;

struct Row : Buffer<64> {};
struct Other : Buffer<64> {};
struct Second;
struct First {
    static constexpr const char* name = "first";
    static constexpr int tiles = 4, groups = 1;
    using waits = types<After<Second>>;
    using reads = types<>;
    using writes = types<OwnGroup<Row>>;
};
struct Second {
    static constexpr const char* name = "second";
    static constexpr int tiles = 4, groups = 1;
    using waits = types<After<First>>;
    using reads = types<Whole<Row>>;
    using writes = types<>;
};

int bytes() {
    return StorageOf<Program<Once<First, Second>>>::places.bytes;
}
