// SPDX-License-Identifier: Apache-2.0
/// Workspace of the caller's on the CPU, which keeps its own: the code is that of a GPU
/// (`tile/gpu/runtime/launcher_test.cu`).
#include <inlay/exec/program.hpp>
#include <inlay/exec/workspace.hpp>
#include <inlay/inlay.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;

struct product : Linear<> {};

template <class Target, class K>
void run_as_on_a_gpu(Target& target, const K& k) {
    const typename Target::Memory memory = target.allocate(k.workspace_bytes(target));
    k.run(target, Workspace{memory.data(), memory.size()});
}

TEST(Workspace, TheCpuNeedsNoneAndTakesAny) {
    Host cpu(1);
    const float x[4] = {1, 2, 3, 4}, w[2] = {5, 6};
    float y[2] = {}, z[2] = {};
    const auto k = prepare<product>(tensor(y, 2, 1), tensor(w, 1, 2), tensor(x, 2, 2));
    Program<Host> program;
    program.add<product>("product", tensor(z, 2, 1), tensor(w, 1, 2), tensor(x, 2, 2));
    EXPECT_EQ(k.workspace_bytes(cpu), 0u);
    EXPECT_EQ(program.workspace_bytes(cpu), 0u);
    run_as_on_a_gpu(cpu, k);
    run_as_on_a_gpu(cpu, program);
    EXPECT_EQ(y[0], 17);
    EXPECT_EQ(y[1], 39);
    EXPECT_EQ(z[0], 17);
    EXPECT_EQ(z[1], 39);
}

std::string sentence(const Workspace& w, std::size_t needed) {
    try {
        detail::demand_workspace([] { return Text("k"); }, w, needed);
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}
TEST(Workspace, SaysWhatIsWrong) {
    alignas(Workspace::alignment) static char memory[1024];
    EXPECT_EQ(sentence({memory, 1024}, 1024), "");
    EXPECT_EQ(sentence({}, 0), "");
    EXPECT_EQ(sentence({memory, 1023}, 1024),
              "inlay: k: the workspace has 1023 bytes, expected 1024 (workspace_bytes says how many)");
    EXPECT_EQ(sentence({nullptr, 1024}, 256), "inlay: k: the workspace is null, expected 256 bytes");
    EXPECT_EQ(sentence({memory + 1, 1023}, 256),
              "inlay: k: the workspace begins 1 bytes behind a multiple of 256, expected an aligned address");
}

}  // namespace
