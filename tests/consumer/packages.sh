# SPDX-License-Identifier: Apache-2.0
# Inlay by FetchContent, pkg-config and as a .deb, and what marks a name that a later version drops. Sourced by run.sh,
# whose packages() has installed it below prefix/.

fetched() {
    tar -cf inlay.tar -C "$root" CMakeLists.txt cmake include LICENSE
    check 'consumer FetchContent' bash -ec '
        cmake -S "$1" -B build-fetched "${@:2}" -DINLAY_ARCHIVE="$PWD/inlay.tar"
        cmake --build build-fetched
        ./build-fetched/algebra' _ "$here/fetch_content" "${fresh[@]}"
    check 'consumer FetchContent takes what is installed' cmake -S "$here/fetch_content" -B build-unfetched \
        "${fresh[@]}" -DINLAY_ARCHIVE=none -DINSTALLED=ON -DCMAKE_PREFIX_PATH="$PWD/prefix"
}

# by_pkg_config: what is installed there, found without CMake, where it was put and moved elsewhere.
by_pkg_config() {
    command -v pkg-config >/dev/null || { skipped 'consumer pkg-config' 'it is not installed' && return; }
    cp -r prefix moved
    check 'consumer pkg-config, of a tree that was moved' bash -ec '
        export PKG_CONFIG_PATH=$PWD/moved/share/pkgconfig
        pkg-config --exists "inlay >= 0.1" && ! pkg-config --exists "inlay >= 0.2"
        [[ $(pkg-config --cflags inlay) == *moved* ]]
        g++ -std=c++20 $(pkg-config --cflags inlay) "$1/algebra.cpp" $(pkg-config --libs inlay) -o by_pkg_config
        ./by_pkg_config' _ "$here"
    printf '#include <inlay/io/png.hpp>\nint main() {}\n' >png.cpp
    check 'consumer pkg-config of inlay-io' bash -ec '
        export PKG_CONFIG_PATH=$PWD/moved/share/pkgconfig
        g++ -std=c++20 $(pkg-config --cflags inlay-io) png.cpp $(pkg-config --libs inlay-io) -o by_pkg_config_io'
}

# debian_package: built, installed into a system of its own, used there, and removed without a trace.
debian_package() {
    command -v dpkg >/dev/null || { skipped 'consumer .deb' 'dpkg is not installed' && return; }
    check 'consumer .deb is built' bash -ec '
        cd build-inlay && cpack && mv libinlay-dev_*_all.deb ../inlay.deb && cd ..
        [[ $(dpkg-deb -f inlay.deb Package) == libinlay-dev ]]
        grep -q "set(PACKAGE_VERSION $(dpkg-deb -f inlay.deb Version))" build-inlay/inlay-config-version.cmake
        [[ -z $(dpkg-deb -f inlay.deb Depends) ]]'
    mkdir -p system/var/lib/dpkg/{info,updates} && : >system/var/lib/dpkg/status
    local dpkg=(dpkg --force-not-root --log=dpkg.log --instdir="$PWD/system" --admindir="$PWD/system/var/lib/dpkg")
    check 'consumer .deb is installed' "${dpkg[@]}" -i inlay.deb
    check 'consumer .deb serves a project' bash -ec '
        cmake -S "$1" -B build-deb "${@:2}" -DCMAKE_PREFIX_PATH="$PWD/system/usr"
        grep -q "inlay_DIR:PATH=$PWD/system/usr/share/cmake/inlay" build-deb/CMakeCache.txt
        cmake --build build-deb
        ./build-deb/algebra' _ "$here/find_package" "${fresh[@]}"
    check 'consumer .deb is removed' bash -ec '"$@" -r libinlay-dev && [[ ! -e system/usr/include/inlay ]]
        [[ -z $(find system/usr -type f 2>/dev/null) ]]' _ "${dpkg[@]}"
}

# deprecated: the sentences where marked names are used, by each compiler, and none where they are allowed.
deprecated() {
    local compiler sentence log
    local -A error=([nvcc]='--Werror=all-warnings')
    for compiler in "${compilers[@]}"; do
        log=$(compile_only $compiler "$here/deprecated.cpp" "${error[$compiler]:--Werror}" 2>&1)
        for sentence in 'since 0.2; write Kernel' 'since 0.2; write launch()' 'since 0.3; write Buf'; do
            check "consumer deprecated $sentence ($compiler)" grep -F "inlay: deprecated $sentence" <<<"$log"
        done
        check "consumer deprecated names that are allowed ($compiler)" compile_only $compiler "$here/deprecated.cpp" \
            -DINLAY_ALLOW_DEPRECATED "${error[$compiler]:--Werror}"
    done
}
