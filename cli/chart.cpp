#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace leat::cli {

namespace {

// In units of the picture; the page scales it.
constexpr double width = 640;
constexpr double names_width = 150;
constexpr double values_width = 70;
constexpr double row_height = 22;
constexpr double gap = 5;
constexpr double colours = 9;  // which the page has

std::string line(double x1, double y1, double x2, double y2, const char* kind) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>)", x1, y1, x2, y2, kind);
}

std::string text(double x, double y, const char* anchor, const std::string& words) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor, escaped(words));
}

std::string picture(double height, const std::string& inside) {
  return fmt::format(R"(<svg viewBox="0 0 {:.0f} {:.0f}" role="img">{}</svg>)", width, height, inside);
}

// The bytes of the character of UTF-8 that begins at text[i]; 0 for what is none, and what XML refuses.
std::size_t character_at(const std::string& text, std::size_t i) {
  const auto byte = [&text](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  const unsigned first = byte(i);
  if (first < 0x80) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
  const std::size_t length = first >= 0xF0 && first < 0xF5   ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2 && first < 0xE0 ? 2
                                                             : 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0U) != 0x80) return 0;
  }
  return length;
}

}  // namespace

double step_for(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most / 6)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (most <= 6 * factor * power) return factor * power;
  }
  return 10 * power;
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (const std::size_t length = character_at(text, i); length != 1) {
      safe += length == 0 ? "\uFFFD" : text.substr(i, length);
      i += length == 0 ? 0 : length - 1;
      continue;
    }
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string bars(const std::vector<bar>& all, std::optional<double> mark, int digits) {
  double most = mark.value_or(0);
  for (const bar& b : all) most = std::max({most, b.value, b.high});
  if (!(most > 0)) most = 1;
  const double room = width - names_width - values_width;
  const auto x_of = [&](double value) { return names_width + room * std::max(0.0, value) / most; };
  std::string inside;
  double y = gap;
  for (const bar& b : all) {
    const double middle = y + row_height / 2;
    inside += text(names_width - 8, middle + 4, "end", b.name);
    inside += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" class="{}"/>)", names_width,
                          y + 2, x_of(b.value) - names_width, row_height - 4, b.other ? "other" : "own");
    if (b.high > b.low) inside += line(x_of(b.low), middle, x_of(b.high), middle, "range");
    inside += text(x_of(std::max(b.value, b.high)) + 6, middle + 4, "start", fmt::format("{:.{}f}", b.value, digits));
    y += row_height;
  }
  if (mark) inside += line(x_of(*mark), gap, x_of(*mark), y, "mark");
  return picture(y + gap, inside);
}

std::string divided_bars(const std::vector<divided_bar>& all, const std::vector<std::string>& names) {
  constexpr double left = 40;
  constexpr double key_width = 105;
  constexpr double key_height = 24;
  constexpr double row = 10;  // so that those of 48 workers are one picture
  std::string inside;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double x = key_width * static_cast<double>(i);
    inside += fmt::format(R"(<circle cx="{:.1f}" cy="10" r="5" class="p{}"/>)", x + 8, i) +
              text(x + 17, 14, "start", names[i]);
  }
  double y = key_height;
  for (const divided_bar& b : all) {
    if (!b.name.empty()) inside += text(left - 6, y + row - 1, "end", b.name);
    double from = 0;
    for (std::size_t i = 0; i < b.parts.size(); ++i) {
      const double room = width - left;
      inside += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.2f}" height="{:.1f}" class="p{}"/>)",
                            left + room * from, y, room * b.parts[i], row - 1, i);
      from += b.parts[i];
    }
    y += row;
  }
  return picture(y + gap, inside);
}

std::string curves(const std::vector<curve>& all, const std::string& x, const std::string& y) {
  constexpr double left = 50;
  constexpr double top = 10;
  constexpr double right = 470;
  constexpr double bottom = 320;
  double x_most = 1;
  double y_most = 1;
  for (const curve& c : all) {
    for (const auto& [at, value] : c.points) {
      x_most = std::max(x_most, at);
      y_most = std::max(y_most, value);
    }
  }
  const auto x_of = [&](double v) { return left + (right - left) * v / x_most; };
  const auto y_of = [&](double v) { return bottom - (bottom - top) * v / y_most; };
  std::string inside;
  for (double v = 0; v <= x_most; v += std::max(1.0, step_for(x_most))) {
    inside += text(x_of(v), bottom + 16, "middle", fmt::format("{:g}", v));
  }
  for (double v = 0; v <= y_most; v += step_for(y_most)) {
    inside += line(left, y_of(v), right, y_of(v), "grid") + text(left - 6, y_of(v) + 4, "end", fmt::format("{:g}", v));
  }
  const double ideal = std::min(x_most, y_most);
  inside += line(x_of(0), y_of(0), x_of(ideal), y_of(ideal), "mark");
  inside += text((left + right) / 2, bottom + 34, "middle", x) + text(left, top - 1, "start", y);
  double key = top + 12;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto colour = static_cast<int>(std::fmod(static_cast<double>(i), colours));
    std::string path;
    for (const auto& [at, value] : all[i].points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(at), y_of(value));
      inside += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3" class="p{}"/>)", x_of(at), y_of(value), colour);
    }
    inside += fmt::format(R"(<path d="{}" class="c{}"/>)", path, colour);
    inside += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" class="p{}"/>)", right + 20, key - 4, colour);
    inside += text(right + 30, key, "start", all[i].name);
    key += 18;
  }
  return picture(bottom + 45, inside);
}

}  // namespace leat::cli
