#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# hip-root.sh DIR: collects Debian's HIP packages into the one folder that clang's --rocm-path and CMake's HIP language
# expect. They lack the bitcode that names gfx942 and gfx1100 to the device library, one constant each; it is assembled
# here with the data layout of a neighbour's file.
# Packages: libamdhip64-dev rocm-device-libs clang-19 clang-tools-19 llvm-19 lld-19
set -euo pipefail
target=${1:?usage: hip-root.sh DIR}
shopt -s nullglob

need() {
    [[ -e $1 ]] || {
        echo "hip-root: $1 is missing; install the package $2" >&2
        exit 1
    }
}
machine=$(uname -m)
bitcode=$(echo /usr/lib/"$machine"-linux-gnu/amdgcn/bitcode)
library=/usr/lib/$machine-linux-gnu/libamdhip64.so
need /usr/include/hip/hip_runtime.h libamdhip64-dev
need "$library" libamdhip64-dev
need "$bitcode/oclc_isa_version_90a.bc" rocm-device-libs
need /usr/bin/llvm-as-19 llvm-19
need /usr/bin/llvm-dis-19 llvm-19

mkdir -p "$target"/{include,lib/cmake/hip-lang,amdgcn/bitcode,share/hip}
target=$(cd "$target" && pwd)
ln -sfn /usr/include/hip "$target/include/hip"
ln -sfn "$library" "$target/lib/libamdhip64.so"
ln -sf "$bitcode"/*.bc "$target/amdgcn/bitcode/"
version() { awk -v name="HIP_VERSION_$1" '$2 == name { print $3 }' /usr/include/hip/hip_version.h; }
printf 'HIP_VERSION_%s\n' "MAJOR=$(version MAJOR)" "MINOR=$(version MINOR)" "PATCH=$(version PATCH)" \
    >"$target/share/hip/version"

layout=$(llvm-dis-19 -o - "$bitcode/oclc_isa_version_90a.bc" | grep '^target ')
for isa in 942:9402 1100:11000; do
    file=$target/amdgcn/bitcode/oclc_isa_version_${isa%:*}.bc
    [[ -e $file ]] || printf '%s\n@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 %s, align 4\n' \
        "$layout" "${isa#*:}" | llvm-as-19 -o "$file" -
done

cat >"$target/lib/cmake/hip-lang/hip-lang-config.cmake" <<CMAKE
add_library(hip-lang::amdhip64 SHARED IMPORTED)
set_target_properties(hip-lang::amdhip64 PROPERTIES IMPORTED_LOCATION "$library")
add_library(hip-lang::device INTERFACE IMPORTED)
set_target_properties(hip-lang::device PROPERTIES
    INTERFACE_LINK_OPTIONS "\$<\$<LINK_LANGUAGE:HIP>:--hip-link;--rocm-path=$target>"
    INTERFACE_LINK_LIBRARIES hip-lang::amdhip64)
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
CMAKE
