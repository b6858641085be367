// Streams of operations, turned into the words of a recording.

#pragma once

#include "recorded_file.hpp"
#include "recording.hpp"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace leat::sim {

/// A sequence that was executed apart from where it was made, or the word that is to name it.
struct loose_end {
  std::uint64_t id;
  std::uint64_t word;
  std::uint64_t offset;
};

/// A block whose loop may be in another worker's stream.
struct loose_block {
  std::uint64_t loop_id;
  std::uint64_t offset;
  recording::block block;
};

struct loose_loop {
  std::uint64_t id;
  std::uint64_t offset;
};

struct loose_phase {
  std::uint64_t offset;
  recording::phase phase;
};

/// What parsing leaves, and linking puts together.
struct loose_parts {
  std::vector<loose_end> segments;  ///< sequences, by their IDs
  std::vector<loose_end> makers;    ///< words that name these
  std::vector<loose_loop> loops;    ///< as those of the recording
  std::vector<loose_block> blocks;
  std::vector<loose_phase> phases;
  std::unordered_map<std::uint64_t, std::uint32_t> groups;  ///< names, by their IDs
  std::unordered_map<std::uint64_t, std::uint32_t> futures;
  std::vector<loose_end> awaited;  ///< the futures that are, the first time each
  std::unordered_set<std::uint64_t> made_futures;
};

/// Parses the streams, one after the other. What is open is kept in a list and not on the stack, so that brackets nest as
/// deep as memory lasts.
class recording_parser {
 public:
  recording_parser(const recorded_file& file, recording& into, loose_parts& left);

  /// \throws bad_recording
  void parse(std::span<const recorded_file::piece> stream);

 private:
  enum class bracket : std::uint8_t { first, second, segment, loop, open_block, run, inner_run };

  // What has begun and not ended.
  struct open {
    bracket kind;
    std::uint64_t offset;  ///< of the operation that began it
    std::uint64_t id = 0;
    std::uint64_t word = 0;  ///< the fork's, or the jump over the sequence plus one; 0: nothing is around it
    std::uint64_t end = 0;  ///< the word that ends the first callable
    bool has_code = false;  ///< operations of its own
  };

  using handler = void (recording_parser::*)();
  struct operation {
    std::string_view name;
    handler parse;
  };
  static const std::vector<operation>& operations();

  void strand();
  void fork();
  void branch();
  void join();
  void elsewhere();
  void segment();
  void end();
  void spawn();
  void wait();
  void barrier();
  void loop();
  void block();
  void open_block();
  void loop_end();
  void future();
  void await();
  void blocking();
  void run();
  void run_end();
  void outside();
  void sums();
  void site();

  [[noreturn]] void refuse(std::string_view why) const;
  [[nodiscard]] std::uint64_t nanoseconds();
  [[nodiscard]] std::uint64_t many(std::string_view what);
  [[nodiscard]] std::uint64_t known_site();
  [[nodiscard]] std::uint32_t name_of_group(std::uint64_t id);
  [[nodiscard]] std::uint32_t name_of_future(std::uint64_t id);
  [[nodiscard]] recording::block iterations(std::uint64_t& loop_id);
  // The innermost open bracket, which must be of this kind, or one in which a program runs.
  open& innermost(bracket kind);
  open& around();
  void begin_aside(bracket kind, std::uint64_t id);
  void end_aside(const open& ended);
  std::uint64_t add(strand_code code, std::uint64_t payload);
  [[nodiscard]] std::uint64_t here() const noexcept { return into_.words.size(); }

  const recorded_file& file_;
  recording& into_;
  loose_parts& left_;
  recorded_stream stream_;
  std::uint64_t at_ = 0;  // the operation's offset
  std::string_view name_;
  std::vector<open> open_;
  std::unordered_set<std::uint64_t> sites_;  // that this stream has named
};

}  // namespace leat::sim
