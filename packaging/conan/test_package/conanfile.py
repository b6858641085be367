"""Builds the programs of tests/consumer with the package, and runs them."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class LeatConsumer(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self, build_folder=os.path.join("..", "..", "..", "build", "conan"))  # which git ignores

    @property
    def _has_threads(self):
        return bool(self.dependencies["leat"].options.threads)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.cache_variables["THREADS"] = self._has_threads
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if not can_run(self):
            return
        consumer = os.path.join(self.cpp.build.bindir, "consumer")
        programs = [os.path.join(consumer, name) for name in ("consumer", "parlay_consumer", "pstl_consumer")]
        if self._has_threads:
            programs.append(os.path.join(self.cpp.build.bindir, "threads"))
        for program in programs:
            self.run(program, env="conanrun")
