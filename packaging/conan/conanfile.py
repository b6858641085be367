"""leat as a package of Conan 2. The recipe packages the source tree that it lies in: `conan create packaging/conan`."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir, save
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"

# The folders that the library is built from. The others have its tests, programs and pages.
SOURCES = ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "adapters/*")
# What CMake is to know of leat::leat beyond what Conan tells it: its headers are C++20. Those of leat::parlay and leat::pstl are C++17.
FEATURES = os.path.join("lib", "cmake", "leat_features.cmake")


class Leat(ConanFile):
    name = "leat"
    description = "Task parallelism by work stealing"
    license = "Apache-2.0"
    author = "The leat authors"
    topics = ("parallelism", "tasks", "work-stealing", "fork-join")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    # fPIC is there because profiles set it for all packages. libleat.a is position-independent anyway.
    options = {"shared": [True, False], "fPIC": [True, False], "hwloc": [True, False], "threads": [True, False]}
    default_options = {"shared": False, "fPIC": True, "hwloc": True, "threads": True}
    implements = ["auto_shared_fpic"]

    @property
    def _tree(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def set_version(self):
        header = load(self, os.path.join(self._tree, "src", "leat", "platform", "abi.hpp"))
        self.version = ".".join(re.findall(r"^#define LEAT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE))

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, src=self._tree, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        if self.options.hwloc:
            self.requires("hwloc/[>=2.9 <3]")
        if self.options.threads:
            # Programs instantiate what calls it: they need its headers, and link it even where leat is shared.
            self.requires("boost/[>=1.74 <2]", transitive_headers=True, transitive_libs=True)

    def build_requirements(self):
        if self.options.hwloc and not self.conf.get("tools.gnu:pkg_config", check_type=str):
            self.tool_requires("pkgconf/[>=2 <3]")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("leat is for Linux")

    def generate(self):
        toolchain = CMakeToolchain(self)
        # Every part is on or off as the options say, not as something is installed on the machine.
        toolchain.cache_variables.update(
            {
                "LEAT_BUILD_TESTS": False,
                "LEAT_BUILD_CLI": False,
                "LEAT_SIMULATED": False,
                "LEAT_MPI": False,
                "LEAT_HWLOC": bool(self.options.hwloc),
                "LEAT_THREADS": bool(self.options.threads),
            }
        )
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()  # leat finds hwloc by pkg-config

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        # Conan's generators write these anew for each program, with the places of its dependencies.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        save(self, os.path.join(self.package_folder, FEATURES), "target_compile_features(leat::leat INTERFACE cxx_std_20)\n")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "leat")
        self.cpp_info.set_property("cmake_build_modules", [FEATURES])
        # The names of all components together, which would otherwise be those of the component leat.
        self.cpp_info.set_property("cmake_target_name", "leat::all_components")
        self.cpp_info.set_property("pkg_config_name", "leat_all_components")
        self._component("leat", "leat")
        self._component("cluster", "leat_cluster", requires=["leat"])
        self._component("parlay", "leat_parlay", include="leat_parlay.hpp")
        self._component("pstl", "leat_pstl", include="leat_pstl.hpp")
        if self.options.threads:
            self._component("threads", "leat_threads", requires=["leat", "boost::context"])

    def _component(self, name, pkg_config_name, requires=None, include=None):
        """The target leat::NAME. One that requires no other has the library itself."""
        component = self.cpp_info.components[name]
        component.set_property("cmake_target_name", f"leat::{name}")
        component.set_property("pkg_config_name", pkg_config_name)
        if requires:
            component.requires = requires
            return
        component.libs = ["leat"]
        component.system_libs = ["pthread"]
        if self.options.hwloc:
            component.requires = ["hwloc::hwloc"]
        if include:
            component.cxxflags = [f"--include={include}"]  # in one word: CMake would leave out the second of two -include
