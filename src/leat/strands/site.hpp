// Call sites: where in its source a program calls a construct, and inside which other call sites.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "leat/strands/list.hpp"

namespace leat::inline LEAT_ABI::strands {

/// The line that calls a public function.
struct call_site {
  const char* file = nullptr;
  std::uint32_t line = 0;

  /// As a default argument: the line of the call.
  static constexpr call_site here(const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

template <class T>
concept no_site = !std::is_same_v<std::remove_cvref_t<T>, call_site>;

/// A call site of the process, and its number, from 1 on.
template <class P>
struct site {
  std::string file;  // a copy: the code may be unloaded
  std::uint32_t line;
  std::uint32_t number;
  site* next;
};

/// The call sites around a call, each once, from the innermost on. Null: there is none.
template <class P>
struct context {
  const context* outer;
  const site<P>* at;
  context* next;

  static bool has(const context* c, const site<P>* at) noexcept {
    for (; c != nullptr; c = c->outer) {
      if (c->at == at) return true;
    }
    return false;
  }
};

/// All call sites and contexts of the process. They are few, and are never freed. Any thread; without a lock (SPAN-7).
template <class P>
class sites {
 public:
  /// The call site of this line. Files are told apart by their names alone.
  static const site<P>* at(const call_site& where) {
    return all_.find_or_add([&where](const site<P>& s) { return s.line == where.line && s.file == where.file; },
                            [&where](const site<P>* newest) {
                              return new site<P>{where.file, where.line, newest == nullptr ? 1 : newest->number + 1,
                                                 nullptr};
                            });
  }

  /// The context of `at` inside `outer`, which does not contain `at` yet.
  static const context<P>* inside(const context<P>* outer, const site<P>* at) {
    return contexts_.find_or_add([outer, at](const context<P>& c) { return c.outer == outer && c.at == at; },
                                 [outer, at](const context<P>*) { return new context<P>{outer, at, nullptr}; });
  }

  /// The newest; the others follow it.
  static const site<P>* all() noexcept { return all_.first(); }

 private:
  static inline constinit list<P, site<P>> all_{};
  static inline constinit list<P, context<P>> contexts_{};
};

}  // namespace leat::inline LEAT_ABI::strands
