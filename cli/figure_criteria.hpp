// The criteria of a definition, as its file has them.

#pragma once

#include "figure_file.hpp"
#include "json_members.hpp"

#include <vector>

namespace leat::cli {

/// The member `criteria` of a definition whose axes and quantities have been read. Throws std::invalid_argument, naming the file
/// and the member, for a criterion that could never be judged.
[[nodiscard]] std::vector<criterion> read_criteria(const json_members& in, const figure& f);

}  // namespace leat::cli
