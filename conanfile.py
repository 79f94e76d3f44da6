# SPDX-License-Identifier: Apache-2.0
"""Conan 2 recipe of Inlay's algebra, which needs no other library: `conan create .` packages the headers, and builds
and runs tests/consumer/conan with them. inlay::io comes by CMake, as its libraries do."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class Inlay(ConanFile):
    name = "inlay"
    description = "Fusions as C++ types: a header-only C++20 library of fused kernels for CPUs and GPUs"
    license = "Apache-2.0"
    topics = ("cuda", "hip", "gpu", "kernel-fusion", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "CMakeLists.txt", "cmake/*", "include/*", "LICENSE"
    test_package_folder = "tests/consumer/conan"
    no_copy_source = True

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "inlay", "version.hpp"))
        parts = [re.search(rf"INLAY_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.version = ".".join(parts)

    def layout(self):
        cmake_layout(self)

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("IO", "BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH"):
            toolchain.cache_variables[f"INLAY_{option}"] = False
        toolchain.cache_variables["INLAY_INSTALL"] = True
        toolchain.generate()

    def package(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "share"))  # Conan writes its own files for CMake and pkg-config

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "inlay")
        self.cpp_info.set_property("cmake_target_name", "inlay::inlay")
        self.cpp_info.set_property("pkg_config_name", "inlay")
        if self.settings.get_safe("os") in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
