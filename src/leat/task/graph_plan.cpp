#include "leat/task/graph_plan.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace leat::inline LEAT_ABI::task {

namespace {

void check_count(std::size_t have, const char* what) {
  if (have < graph_plan::count_max) return;
  throw std::length_error("leat::graph: more than " + std::to_string(graph_plan::count_max) + " " + what);
}

// As a quoted string of DOT, in which a backslash begins an escape.
std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '\n') {
      all += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

}  // namespace

void graph_plan::make_room() {
  check_count(nodes(), "nodes");
  if (nodes() == before_.capacity()) before_.reserve(2 * nodes() + 1);
}

graph_plan::number graph_plan::add_node() noexcept {
  before_.push_back(0);
  arranged_ = false;
  return static_cast<number>(nodes() - 1);
}

void graph_plan::add_edge(number from, number to) {
  check_count(edges(), "edges");
  edges_.push_back({from, to});
  ++before_[to];
  arranged_ = false;
  if (to <= from) ascending_ = false;
}

void graph_plan::set_name(number n, std::string name) {
  if (names_.size() <= n) names_.resize(std::size_t{n} + 1);
  names_[n] = std::move(name);
}

std::string graph_plan::name_of(number n) const {
  if (n < names_.size() && !names_[n].empty()) return names_[n];
  return "#" + std::to_string(n);
}

// A counting sort of the edges by where they begin. first_after_[n + 1] is at first where n's next successor goes, and
// in the end where n's successors end, which is where those of n + 1 begin.
void graph_plan::arrange() {
  if (arranged_) return;
  first_after_.assign(nodes() + 2, 0);
  for (const edge& e : edges_) ++first_after_[std::size_t{e.from} + 2];
  for (std::size_t n = 2; n < first_after_.size(); ++n) first_after_[n] += first_after_[n - 1];
  after_.resize(edges());
  for (const edge& e : edges_) after_[first_after_[std::size_t{e.from} + 1]++] = e.to;
  first_after_.pop_back();
  roots_.clear();
  for (number n = 0; n < nodes(); ++n) {
    if (before_[n] == 0) roots_.push_back(n);
  }
  if (!ascending_) {
    std::vector<number> left = before_;
    if (!ends_all(left)) throw_cycle(left);
  }
  arranged_ = true;
}

// Ends nodes in an order that the edges allow, as Kahn does ("Topological sorting of large networks", 1962). What is left then
// has a cycle: `left` is above zero there.
bool graph_plan::ends_all(std::vector<number>& left) const {
  std::vector<number> ready = roots_;
  std::size_t ended = 0;
  while (!ready.empty()) {
    const number n = ready.back();
    ready.pop_back();
    ++ended;
    for (number i = first_after(n); i != first_after(n + 1); ++i) {
      if (--left[after_[i]] == 0) ready.push_back(after_[i]);
    }
  }
  return ended == nodes();
}

// Each node that is left has a predecessor that is left. So a walk from one to the next comes upon a node twice, and what it
// met in between is a cycle, backwards.
void graph_plan::throw_cycle(const std::vector<number>& left) const {
  std::vector<number> one_before(nodes());
  for (const edge& e : edges_) {
    if (left[e.from] != 0) one_before[e.to] = e.from;
  }
  const auto any = std::find_if(left.begin(), left.end(), [](number l) { return l != 0; });
  auto at = static_cast<number>(any - left.begin());
  std::vector<bool> met(nodes());
  for (; !met[at]; at = one_before[at]) met[at] = true;
  std::vector<number> cycle = {at};
  for (number n = one_before[at]; n != at; n = one_before[n]) cycle.push_back(n);
  std::reverse(cycle.begin() + 1, cycle.end());
  std::string path;
  for (std::size_t i = 0; i < cycle.size() && i < cycle_named_max; ++i)
    path.append("'").append(name_of(cycle[i])).append("' -> ");
  if (cycle.size() > cycle_named_max) path += "... -> ";
  throw std::invalid_argument("leat::graph: node '" + name_of(at) + "' is on a cycle of " +
                              std::to_string(cycle.size()) + (cycle.size() == 1 ? " node: " : " nodes: ") + path + "'" +
                              name_of(at) + "'");
}

void graph_plan::write_dot(std::ostream& out) const {
  out << "digraph {\n";
  for (number n = 0; n < nodes(); ++n) out << "  n" << n << " [label=" << quoted(name_of(n)) << "];\n";
  for (const edge& e : edges_) out << "  n" << e.from << " -> n" << e.to << ";\n";
  out << "}\n";
}

std::string graph_plan::dot() const {
  std::ostringstream out;
  write_dot(out);
  return out.str();
}

void throw_not_of_the_graph(const char* what, const std::string& name) {
  if (name.empty()) throw std::invalid_argument(std::string("leat::graph::") + what + ": a handle of no node");
  throw std::invalid_argument(std::string("leat::graph::") + what + ": node '" + name + "' is of another graph");
}

void throw_graph_runs(const char* what) {
  throw std::logic_error(std::string("leat::graph::") + what + ": the graph is running");
}

}  // namespace leat::inline LEAT_ABI::task
