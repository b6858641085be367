#include "figure_names.hpp"

#include "option_values.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace leat::cli {

namespace {

// Names that a message offers.
constexpr std::size_t offered_max = 5;

bool fits(const std::string& pattern, const figure& f) {
  return pattern == "all" || fnmatch(pattern.c_str(), f.name.c_str(), 0) == 0;
}

// How many letters must be put in, taken out or changed (Levenshtein).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(const figure_folder& folder, const std::string& name) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const figure& f : folder.figures) {
    const bool within = f.name.find(name) != std::string::npos;
    near.emplace_back(within ? 0 : distance(name, f.name), f.name);
  }
  std::ranges::stable_sort(near, {}, &decltype(near)::value_type::first);
  std::string text;
  for (std::size_t i = 0; i < std::min(near.size(), offered_max); ++i)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", near[i].second);
  return text;
}

[[noreturn]] void refuse_name(const figure_folder& folder, const std::string& name) {
  for (const auto& [key, paper] : folder.documents) {
    if (!name.starts_with(key + "-")) continue;
    const auto why = paper.left_out.find(name.substr(key.size() + 1));
    if (why != paper.left_out.end()) refuse("figure", "'" + name + "'", "is left out: " + why->second);
  }
  refuse("figure", "'" + name + "'", "there is none; near are " + nearest(folder, name));
}

}  // namespace

std::vector<figure> named_figures(const figure_folder& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool known = std::ranges::any_of(folder.figures, [&](const figure& f) { return fits(name, f); });
    if (!known) refuse_name(folder, name);
  }
  std::vector<figure> chosen;
  for (const figure& f : folder.figures) {
    if (std::ranges::any_of(names, [&](const std::string& name) { return fits(name, f); })) chosen.push_back(f);
  }
  return chosen;
}

}  // namespace leat::cli
