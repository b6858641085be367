// Reads a recording, and refuses what is not well-formed (docs/internals/spans.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/platform/profiled.hpp"

namespace leat_test {

/// The name of a file that is removed in the end.
class temporary_file {
 public:
  temporary_file()
      : path_(std::filesystem::temp_directory_path() /
              ("leat_record_" + std::to_string(leat::platform::profiled::process_id()))) {}
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { std::filesystem::remove(path_); }
  std::string name() const { return path_.string(); }
  std::uintmax_t size() const { return std::filesystem::file_size(path_); }

 private:
  const std::filesystem::path path_;
};

/// Of a part of the computation.
struct recorded_sums {
  std::uint64_t work_ns, span_ns, strands, forks;
};

/// What a recording has in it.
struct recording {
  std::map<std::string, std::string> head;
  std::map<std::uint64_t, std::string> sites;
  std::uint64_t work_ns = 0;
  std::uint64_t strands = 0;
  std::vector<recorded_sums> sums;
  std::uint64_t iterations = 0;  // of blocks
  std::map<int, std::uint64_t> operations;
  std::set<std::uint64_t> made, executed, awaited, loops, loops_of_blocks;
  std::set<std::uint64_t> elsewhere;  // forks whose second callable another worker executed
};

class recording_reader {
 public:
  /// \param is_cut  tasks may have been under way when the recording ended
  explicit recording_reader(const std::string& path, bool is_cut = false) : is_cut_(is_cut) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  recording read() {
    read_head();
    std::map<std::uint32_t, std::string> streams;
    while (at_ != bytes_.size()) {
      const std::uint32_t worker = word(), many = word();
      if (many > bytes_.size() - at_) refuse("a chunk ends behind the file");
      streams[worker] += bytes_.substr(at_, many);
      at_ += many;
    }
    for (auto& [worker, text] : streams) {
      bytes_ = text;
      at_ = 0;
      read_stream();
    }
    if (!is_cut_) check_ids();
    return r_;
  }

 private:
  void check_ids() const {
    for (const std::uint64_t id : r_.executed) {
      if (r_.made.count(id) == 0) refuse("a segment that nobody made");
    }
    for (const std::uint64_t id : r_.awaited) {
      if (r_.made.count(id) == 0) refuse("a wait for what nobody made");
    }
    for (const std::uint64_t id : r_.elsewhere) {
      if (r_.executed.count(id) == 0) refuse("a callable that was given away and not executed");
    }
    for (const std::uint64_t id : r_.loops_of_blocks) {
      if (r_.loops.count(id) == 0) refuse("a block of no loop");
    }
  }
  [[noreturn]] void refuse(const char* what) const {
    throw std::runtime_error(std::string(what) + " at " + std::to_string(at_));
  }

  void read_head() {
    for (;;) {
      const std::size_t end = bytes_.find('\n', at_);
      if (end == std::string::npos) refuse("no end of the head");
      const std::string line = bytes_.substr(at_, end - at_);
      at_ = end + 1;
      if (line.empty()) return;
      const std::size_t blank = line.find(' ');
      r_.head[line.substr(0, blank)] = line.substr(blank + 1);
    }
  }
  std::uint8_t byte() {
    if (at_ == bytes_.size()) refuse("the end is missing");
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint32_t word() {
    std::uint32_t w = 0;
    for (unsigned i = 0; i < 4; ++i) w |= std::uint32_t{byte()} << 8 * i;
    return w;
  }
  std::uint64_t number() {
    std::uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t b = byte();
      n |= std::uint64_t{b & 0x7fu} << shift;
      if (b < 0x80) return n;
    }
  }
  void site() {
    if (r_.sites.count(number()) == 0) refuse("a call site without a name");
  }
  void make(std::uint64_t id) {
    if (id == 0 || !r_.made.insert(id).second) refuse("a number that was used before");
  }
  void close(char kind) {
    if (open_.empty() || open_.back() != kind) refuse("an end without a beginning");
    open_.pop_back();
  }

  // Of brackets: f and s the first and second callable of a fork, g a segment, b a block, l a loop, r a run.
  void read_stream() {
    open_.clear();
    while (at_ != bytes_.size()) {
      const int op = byte();
      ++r_.operations[op];
      read_operands(op);
    }
    if (!open_.empty() && !is_cut_) refuse("a beginning without an end");
  }
  void read_operands(int op) {
    switch (op) {
      case 0:
      case 16: r_.work_ns += number(), ++r_.strands; return;
      case 1: site(), make(number()), open_.push_back('f'); return;
      case 2: close('f'), open_.push_back('s'); return;
      case 3: close('s'); return;
      case 4: close('s'), r_.elsewhere.insert(number()); return;
      case 5: execute(number()), open_.push_back('g'); return;
      case 6: return end();
      case 7: site(), number(), make(number()); return;
      case 8: number(); return;
      case 9: return;
      case 10: return loop();
      case 11: block(), r_.work_ns += number(), ++r_.strands; return;
      case 12: block(), open_.push_back('b'); return;
      case 13: close('l'), number(); return;
      case 14: site(), make(number()); return;
      case 15: r_.awaited.insert(number()); return;
      case 17: open_.push_back('r'); return;
      case 18: close('r'); return;
      case 19: number(); return;
      case 20: return sums();
      case 21: return name();
      default: refuse("an unknown operation");
    }
  }
  void execute(std::uint64_t id) {
    if (!r_.executed.insert(id).second) refuse("a segment that was executed before");
  }
  void end() {
    if (open_.empty() || (open_.back() != 'g' && open_.back() != 'b')) refuse("an end without a beginning");
    open_.pop_back();
  }
  void loop() {
    const std::uint64_t id = number();
    if (!r_.loops.insert(id).second) refuse("a loop that was there before");
    site(), number(), open_.push_back('l');
  }
  void block() {
    r_.loops_of_blocks.insert(number());
    number(), r_.iterations += number();
  }
  void sums() {
    const std::uint64_t work = number(), span = number(), strands = number(), forks = number();
    if (span > work) refuse("a span that is longer than the work");
    r_.sums.push_back({work, span, strands, forks});
    r_.work_ns += work, r_.strands += strands;
  }
  void name() {
    const std::uint64_t id = number(), many = number();
    if (many > bytes_.size() - at_) refuse("a name ends behind the stream");
    r_.sites[id] = bytes_.substr(at_, many);
    at_ += many;
  }

  const bool is_cut_;
  std::string bytes_;
  std::size_t at_ = 0;
  std::string open_;
  recording r_;
};

}  // namespace leat_test
