#include "kernels/construct.hpp"

#include <stdexcept>
#include <string>

namespace leat::kernels {

std::string_view name(construct c) noexcept {
  switch (c) {
    case construct::spawn: return "spawn";
    case construct::fork: return "fork";
    case construct::future: return "future";
    case construct::group: return "group";
    case construct::graph: return "graph";
    case construct::after: return "after";
  }
  return "unknown";
}

std::string_view name(form f) noexcept {
  switch (f) {
    case form::plain: return "plain";
    case form::context: return "context";
  }
  return "unknown";
}

std::string_view name(wait w) noexcept {
  switch (w) {
    case wait::own: return "own";
    case wait::any: return "any";
  }
  return "unknown";
}

void check_wait(wait w, construct c) {
  if (w == wait::own || c == construct::future || c == construct::group) return;
  throw std::invalid_argument("--wait = 'any': must be own with --construct = '" + std::string(name(c)) +
                              "', which has no such wait");
}

}  // namespace leat::kernels
