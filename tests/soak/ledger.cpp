#include "ledger.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace soak {

namespace {

std::string& place() {
  static std::string* const kept = new std::string;  // never destroyed: a thread may fail while the process ends
  return *kept;
}

}  // namespace

// Not inlined: a user-level thread may be on another worker each time, and must read the variable anew.
[[gnu::noinline]] std::size_t ledger::own_row() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t mine = threads.fetch_add(1, std::memory_order_relaxed) % rows;
  return mine;
}

void ledger::add(const leat::counters& c) {
  const std::lock_guard lock(gate_);
  events_ += c;
}

leat::counters ledger::events() const {
  const std::lock_guard lock(gate_);
  return events_;
}

entry ledger::operator[](kind k) const {
  entry sum;
  for (const row& r : rows_) {
    const cells& c = r.kinds[index_of(k)];
    sum.ended += c.ended.load(std::memory_order_relaxed);
    sum.begun += c.begun.load(std::memory_order_relaxed);
    sum.parts += c.parts.load(std::memory_order_relaxed);
  }
  return sum;
}

std::uint64_t ledger::ended() const {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < kind_count; ++k) sum += (*this)[static_cast<kind>(k)].ended;
  return sum;
}

std::string ledger::imbalance() const {
  for (std::size_t k = 0; k < kind_count; ++k) {
    const entry e = (*this)[static_cast<kind>(k)];
    if (e.begun == e.ended) continue;
    return std::string(kind_names[k]) + ": " + std::to_string(e.begun) + " operations were begun, " +
           std::to_string(e.ended) + " have ended";
  }
  return {};
}

void set_place(std::string where) { place() = std::move(where); }

void fail(std::string_view what, const std::source_location& where) {
  std::fprintf(stderr, "\nsoak: %s:%u: %.*s\nsoak: %s\n", where.file_name(), static_cast<unsigned>(where.line()),
               static_cast<int>(what.size()), what.data(), place().c_str());
  std::fflush(stderr);
  _exit(1);
}

void expect(std::uint64_t got, std::uint64_t wanted, std::string_view what, const std::source_location& where) {
  if (got == wanted) return;
  fail(std::string(what) + ": " + std::to_string(got) + " instead of " + std::to_string(wanted), where);
}

}  // namespace soak
