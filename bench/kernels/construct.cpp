#include "kernels/construct.hpp"

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

}  // namespace leat::kernels
