// What hwloc does not look for in an XML file, and cannot do without.
#pragma once

#include <string>
#include <string_view>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::topology {

/// Why hwloc would crash, or never come to an end, on a machine in its XML (of version 2); empty where nothing of the kind is seen.
/// hwloc 2.9 takes it for granted that an object which has a set of CPUs or nodes has the complete one, too, and that CPUs and
/// nodes have numbers: it makes sets of as many bits. It refuses by itself what is no XML. Any thread. Linear in the text.
[[nodiscard]] std::string fault_in_xml(std::string_view text);

/// The same of a file; empty, too, where it cannot be read, or is no regular file. \throws std::bad_alloc
[[nodiscard]] std::string fault_in_xml_file(const std::string& path);

}  // namespace leat::inline LEAT_ABI::topology
