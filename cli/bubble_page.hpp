// The page that `leat report` makes of a trace of bubbles.

#pragma once

#include <string>

namespace leat::cli {

/// A page of HTML that needs nothing else: the machine with its bubbles, event by event, and where each was over time (the model is
/// Figure 3 of Thibault's paper of 2005). `trace`: what write_trace wrote. `file`: its name, for messages.
/// Throws std::invalid_argument, naming the file and what is wrong with it.
[[nodiscard]] std::string bubble_page(const std::string& trace, const std::string& file);

}  // namespace leat::cli
