// Criteria: what of a figure counts as published, computed from what was measured.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

/// Cells of a figure's table: all, or those with these labels.
struct cells {
  std::vector<std::string> rows, columns, x;
};

/// One cell.
struct cell {
  std::string row, column, x;

  /// What tells it from others: its labels, without those that `fixed` has.
  [[nodiscard]] std::string label_beside(const cell& fixed) const;
};

/// A statement about a figure's numbers.
struct criterion {
  enum class kind {
    order,   ///< this is at least `factor` times that
    level,   ///< this and that differ by a factor of `factor` at most
    effect,  ///< this over that is within a factor of `factor` of `published`
    near,    ///< this is within a factor of `factor` of its published number
    range,   ///< this is between `least` and `most`; or the mean, or the share of those above `above`, is
    peak,    ///< the x where this is greatest is between `least` and `most`
  };
  enum class subject { ordering, size };
  enum class statistic { each, mean, share };

  kind is = kind::order;
  subject about = subject::ordering;
  std::string quantity;      ///< name
  std::string says;          ///< in words, may be empty
  cell these, those;         ///< labels that are fixed on each side; empty where all are meant
  cells where;               ///< to which the others are confined; empty for all
  double factor = 1;
  double published = 0;
  double share = 1;          ///< of the comparisons that must hold
  std::optional<double> least, most;
  statistic of = statistic::each;
  double above = 1;
};

[[nodiscard]] std::string_view name(criterion::kind) noexcept;
[[nodiscard]] std::string_view name(criterion::subject) noexcept;

enum class verdict { as_published, not_as_published, not_measured };

[[nodiscard]] std::string_view name(verdict) noexcept;

/// A criterion's verdict, and the numbers that it follows from.
struct judgement {
  criterion::subject about = criterion::subject::ordering;
  verdict is = verdict::not_measured;
  std::string statement;  ///< what had to hold
  std::string numbers;    ///< what was found
};

/// The numbers of one figure.
struct judged_numbers {
  std::vector<std::string> rows, columns, x;  ///< labels
  std::function<std::optional<double>(const std::string& quantity, const cell&)> measured;
  std::function<std::optional<double>(const std::string& quantity, const cell&)> published;
};

[[nodiscard]] judgement judge(const criterion&, const judged_numbers&);

/// Of several judgements: as published if all of this subject are; none where there is none.
[[nodiscard]] std::optional<verdict> verdict_of(const std::vector<judgement>&, criterion::subject);

}  // namespace leat::cli
