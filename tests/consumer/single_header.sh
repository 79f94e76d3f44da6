# SPDX-License-Identifier: Apache-2.0
# The headers of cmake/amalgamate.py: the README's kernel through them, with no other header of Inlay on the machine's
# paths. Sourced by run.sh.

# single_header: each compiler's header, and that of the other is refused by one sentence.
single_header() {
    local compiler name
    command -v python3 >/dev/null || { skipped 'consumer single header' 'python3 is not installed' && return; }
    check 'consumer single header is written' python3 "$root/cmake/amalgamate.py" --out single
    for name in host cuda; do
        check "consumer inlay-$name.hpp has the licence, the comments and no include of Inlay" bash -ec '
            grep -q "^// SPDX-License-Identifier: Apache-2.0$" "$1"
            grep -q "END OF TERMS AND CONDITIONS" "$1"
            grep -qF "/// The executors that \`inlay.hpp\` brings" "$1"
            (($(grep -c "^// -* inlay/inlay.hpp$" "$1") == 1))
            ! grep -n "^ *# *include *[<\"]inlay" "$1"' _ "single/inlay-$name.hpp"
    done
    mkdir -p single/named_host/inlay
    printf '#include "../../inlay-host.hpp"\n' >single/named_host/inlay/inlay.hpp
    for compiler in "${compilers[@]}"; do
        case $compiler in
            nvcc)
                check 'consumer single header (nvcc)' "$nvcc" -std=c++20 -arch=sm_90 -I single \
                    "$here/single_header.cu" -o single_cuda
                check 'consumer single header (nvcc) runs, or says that there is no GPU' \
                    bash -c './single_cuda || (($? == 77))'
                says 'consumer inlay-host.hpp by nvcc' 'inlay: inlay-host.hpp is for g++ and clang' \
                    "$nvcc" -std=c++20 -E -x cu single/inlay-host.hpp
                ;;
            *)
                check "consumer single header ($compiler)" $compiler -std=c++20 -O1 -I single/named_host \
                    "$root/examples/first_kernel.cpp" -pthread -o single_host
                check "consumer single header ($compiler) runs" ./single_host
                ;;
        esac
    done
    says 'consumer inlay-cuda.hpp by g++' 'inlay: inlay-cuda.hpp is for nvcc' \
        g++ -std=c++20 -E -x c++ single/inlay-cuda.hpp
    # A header that would be left out, or stand under an #if of somewhere else, ends the script.
    mkdir -p undecided && cp -r "$root/cmake" "$root/include" "$root/LICENSE" undecided/
    printf '#if UNKNOWN\n#include <inlay/core/error.hpp>\n#endif\n' >>undecided/include/inlay/version.hpp
    says 'consumer single header of an include under an unknown condition' \
        "expected a condition over defined(__HIP__), defined(__CUDACC__), INLAY_NATIVE_VECTORS above an include" \
        python3 undecided/cmake/amalgamate.py --out undecided
}
