// SPDX-License-Identifier: Apache-2.0
/// A Host may be shared by several host threads, and several may work at once.
#include <frame/work.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(Host, SeveralThreadsShareOne) {
    Host host(2);
    expect_as_alone(3, [&](int) -> Host& { return host; });
}

TEST(Host, SeveralAtOnce) {
    Host first(2), second(1), third(3);
    expect_as_alone(3, [&](int i) -> Host& { return i == 0 ? first : i == 1 ? second : third; });
}

}  // namespace
