#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the files that one opens to read a kernel from its frame's struct to the store.

    python3 tests/docs/files_to_open.py [--files] [Linear ...] [--on host mma wgmma] [--root DIR] [--build DIR]

For each frame it compiles one kernel in fp16, with a bias and a residual where the frame has both, for the host and for
the emulator as sm_90 (portable engine, `mma`) and as sm_90a (`wgmma`), without optimisation. A file of include/ counts,
but for core/, when

- one of its functions is entered in `run` of the prepared kernel (g++ calls a hook in each: -finstrument-functions), or
- it defines a type that the full name of such a function has: its class, its parameters, their template arguments. A
  name that several headers define counts for none of them.

Checks of `prepare` are not counted, nor is anything that only the compiler evaluates: a `constexpr` decision leaves no
function behind. Needs g++, c++filt and addr2line; on Linux alone.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HOOK = r"""
#include <atomic>
#include <cstdint>
#include <cstdio>
namespace {
std::atomic<bool> recording{false};
std::atomic<void*> entered[1 << 16];
}
#define UNHOOKED __attribute__((no_instrument_function))
extern "C" {
UNHOOKED void __cyg_profile_func_enter(void* f, void*) {
    if (!recording.load(std::memory_order_relaxed)) return;
    for (std::uintptr_t i = reinterpret_cast<std::uintptr_t>(f) / 16;; ++i) {
        void* there = entered[i & 0xffff].load(std::memory_order_relaxed);
        if (there == f) return;
        if (!there && entered[i & 0xffff].compare_exchange_strong(there, f)) return;
        if (there == f) return;
    }
}
UNHOOKED void __cyg_profile_func_exit(void*, void*) {}
}
UNHOOKED void record(bool on) { recording = on; }
UNHOOKED void print_entered() {
    for (auto& f : entered)
        if (f) std::printf("%p\n", f.load());
}
"""

PROGRAM = r"""
#include <inlay/inlay.hpp>
#ifdef ON_GPU
#include <inlay/exec/cuda.hpp>
#else
#include <inlay/exec/host.hpp>
#endif
#include <cstdlib>
using namespace inlay;
void record(bool on);
void print_entered();
template <class... E>
auto place(E... extents) {
    const std::size_t bytes = (static_cast<std::size_t>(extents) * ...) * sizeof(fp16);
    void* p = nullptr;
#ifdef ON_GPU
    if (cudaMalloc(&p, bytes) != cudaSuccess) std::abort();
    cudaMemset(p, 0, bytes);
#else
    p = std::calloc(bytes, 1);
#endif
    return tensor(static_cast<fp16*>(p), static_cast<index_t>(extents)...);
}
KERNEL
int main() {
#ifdef ON_GPU
    Cuda target(0);
#else
    Host target(1);
#endif
    const auto kernel = prepare<named>(ARGUMENTS);
    record(true);
    kernel.run(target);
    record(false);
    print_entered();
}
"""

FRAMES = {
    "Linear": ("struct named : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};",
               "place(256, 320), place(320, 128), place(256, 128), place(320), place(256, 320)"),
    "Conv2D": ("struct named : Conv2D<Filter<3>, Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};",
               "place(1, 16, 16, 320), place(320, 3, 3, 64), place(1, 16, 16, 64), place(320), place(1, 16, 16, 320)"),
    "GroupNorm": ("struct named : GroupNorm<8, Buf<0>, Add<Out, Buf<1>>> {};",
                  "place(1, 16, 16, 64), place(64), place(64), place(1, 16, 16, 64), place(1, 16, 16, 64)"),
    "Attention": ("struct named : Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::Full, Add<Add<Out, Buf<3>>, Buf<4>>> {};",
                  "place(1, 2, 256, 64), place(1, 2, 256, 64), place(1, 2, 256, 64), place(1, 2, 256, 64), place(64), "
                  "place(1, 2, 256, 64)"),
}


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[-4000:]}{done.stdout[-2000:]}")
    return done.stdout


class Tree:
    """A checkout, and the flags that compile its headers."""

    def __init__(self, root, build):
        self.root, self.build, self.emulator = root, build, root / "tests/gpu/emulated"

    def flags(self, engine):
        flags = ["-std=c++20", "-O0", "-fPIC", "-I", self.root / "include", "-w"]
        if engine != "host":
            flags = ["-I", self.emulator / "include", "-I", self.root / "tests", "-I", self.emulator, *flags,
                     "-D__CUDACC__", "-D__CUDA_ARCH_LIST__=900", "-include", "cuda_runtime.h", "-fno-extern-tls-init",
                     "-DON_GPU"]
        if engine == "wgmma":
            flags.append("-D__CUDA_ARCH_FEAT_SM90_ALL")
        return [str(f) for f in flags]

    def machine(self):
        """Objects of the emulator."""
        objects = []
        for source in sorted([*self.emulator.glob("*.cpp"), *self.emulator.glob("cuda/*.cpp")]):
            if source.stem.endswith("_test"):
                continue
            to = self.build / f"{source.stem}.o"
            if not to.exists():
                run(["g++", *self.flags("mma"), "-O1", "-c", str(source), "-o", str(to)])
            objects.append(str(to))
        return objects

    def program(self, frame, engine):
        kernel, arguments = FRAMES[frame]
        source = self.build / f"{frame}_{engine}.cpp"
        source.write_text(PROGRAM.replace("KERNEL", kernel).replace("ARGUMENTS", arguments))
        hook, to = self.build / "hook.cpp", self.build / f"{frame}_{engine}"
        hook.write_text(HOOK)
        run(["g++", "-O1", "-std=c++20", "-c", str(hook), "-o", str(self.build / "hook.o")])
        run(["g++", *self.flags(engine), "-g", "-finstrument-functions",
             "-finstrument-functions-exclude-file-list=/usr/", "-c", str(source), "-o", str(to) + ".o"])
        run(["g++", "-no-pie", "-rdynamic", str(to) + ".o", str(self.build / "hook.o"),
             *(self.machine() if engine != "host" else []), "-o", str(to), "-lpthread", "-ldl"])
        return to

    def header(self, path):
        """A path below include/inlay; None for core/ and for files that are no header of the library. The emulator's
        instructions stand for the headers whose names they have."""
        if "include/inlay/" not in path:
            return None
        name = path.split("include/inlay/", 1)[1]
        return name if not name.startswith("core/") and (self.root / "include/inlay" / name).is_file() else None

    def types(self):
        """The header of each type that one header alone defines. Layers and models have kernels, which are on the path
        of no other."""
        homes = {}
        definition = re.compile(r"^\s*(?:template <.*> )?(?:struct|class|enum class|enum)\s+(?:alignas\(\w+\) )?"
                                r"(\w+)\b[^;]*\{", re.MULTILINE)
        for file in (self.root / "include/inlay").rglob("*.hpp"):
            if (self.header(str(file)) or "").startswith(("nn/", "model/")):
                continue
            for name in definition.findall(file.read_text()):
                homes.setdefault(name, set()).add(self.header(str(file)))
        return {name: next(iter(files)) for name, files in homes.items() if len(files) == 1}

    def files(self, frame, engine):
        """The headers on the path of a kernel, sorted."""
        program = self.program(frame, engine)
        addresses = run([str(program)]).split()
        lines = run(["addr2line", "-f", "-e", str(program), *addresses]).split("\n")
        entered = [(f, self.header(at.rsplit(":", 1)[0])) for f, at in zip(lines[::2], lines[1::2])]
        names = run(["c++filt"], input="\n".join(f for f, home in entered if home))
        types = self.types()
        found = {home for _, home in entered} | {types.get(name) for name in set(re.findall(r"\w+", names))}
        return sorted(found - {None})


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("frames", nargs="*", default=[])
    options.add_argument("--on", nargs="+", default=["host", "mma", "wgmma"], choices=["host", "mma", "wgmma"])
    options.add_argument("--files", action="store_true", help="print the files")
    options.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    options.add_argument("--build", type=pathlib.Path, help="where objects are kept; else a temporary folder")
    chosen = options.parse_args()
    build = chosen.build or pathlib.Path(tempfile.mkdtemp())
    build.mkdir(parents=True, exist_ok=True)
    tree = Tree(chosen.root.resolve(), build.resolve())
    print(f"{'':12}" + "".join(f"{e:>7}" for e in chosen.on))
    for frame in chosen.frames or FRAMES:
        counts = [tree.files(frame, engine) for engine in chosen.on]
        print(f"{frame:12}" + "".join(f"{len(c):7}" for c in counts), flush=True)
        if chosen.files:
            for engine, files in zip(chosen.on, counts):
                print(f"  {engine}:\n    " + "\n    ".join(files))
    if not chosen.build:
        shutil.rmtree(build)


if __name__ == "__main__":
    main()
