#include "recording_parser.hpp"

#include <fmt/format.h>

namespace leat::sim {

namespace {

constexpr std::string_view name_of_bracket[] = {"fork", "branch", "segment", "loop", "open_block", "run", "run"};

}  // namespace

recording_parser::recording_parser(const recorded_file& file, recording& into, loose_parts& left)
    : file_(file), into_(into), left_(left), stream_(file, {}) {}

// By their numbers in the file.
const std::vector<recording_parser::operation>& recording_parser::operations() {
  using p = recording_parser;
  static const std::vector<operation> all{{"strand", &p::strand},
                                          {"fork", &p::fork},
                                          {"branch", &p::branch},
                                          {"join", &p::join},
                                          {"elsewhere", &p::elsewhere},
                                          {"segment", &p::segment},
                                          {"end", &p::end},
                                          {"spawn", &p::spawn},
                                          {"wait", &p::wait},
                                          {"barrier", &p::barrier},
                                          {"loop", &p::loop},
                                          {"block", &p::block},
                                          {"open_block", &p::open_block},
                                          {"loop_end", &p::loop_end},
                                          {"future", &p::future},
                                          {"await", &p::await},
                                          {"blocking", &p::blocking},
                                          {"run", &p::run},
                                          {"run_end", &p::run_end},
                                          {"outside", &p::outside},
                                          {"sums", &p::sums},
                                          {"site", &p::site}};
  return all;
}

void recording_parser::parse(std::span<const recorded_file::piece> stream) {
  stream_ = recorded_stream(file_, stream);
  sites_.clear();
  while (stream_.more()) {
    at_ = stream_.offset();
    const std::uint8_t number = stream_.byte("an operation");
    const auto& known = operations();
    if (number >= known.size()) file_.refuse(at_, fmt::format("{}: no such operation", number));
    name_ = known[number].name;
    (this->*known[number].parse)();
  }
  if (!open_.empty()) {
    file_.refuse(
        open_.back().offset,
        fmt::format(
            "{}: has no end in its worker's stream, and {} around it have none: did the program end inside a run?",
            name_of_bracket[static_cast<std::size_t>(open_.back().kind)], open_.size() - 1));
  }
}

void recording_parser::refuse(std::string_view why) const { file_.refuse(at_, fmt::format("{}: {}", name_, why)); }

std::uint64_t recording_parser::add(strand_code code, std::uint64_t payload) {
  if (payload > strand_word::payload_max) refuse(fmt::format("{}: must be below 2^60", payload));
  into_.words.emplace_back(code, payload);
  return into_.words.size() - 1;
}

recording_parser::open& recording_parser::innermost(bracket kind) {
  if (open_.empty()) refuse(fmt::format("no {} is open", name_of_bracket[static_cast<std::size_t>(kind)]));
  if (open_.back().kind != kind) {
    refuse(fmt::format("must be in a {}, and the innermost bracket is the {} that byte {} begins",
                       name_of_bracket[static_cast<std::size_t>(kind)],
                       name_of_bracket[static_cast<std::size_t>(open_.back().kind)], open_.back().offset));
  }
  return open_.back();
}

recording_parser::open& recording_parser::around() {
  if (open_.empty()) refuse("outside of any run and segment");
  open& in = open_.back();
  if (in.kind == bracket::loop)
    refuse(fmt::format("in the loop that byte {} begins, outside of its blocks", in.offset));
  in.has_code = true;
  return in;
}

std::uint64_t recording_parser::nanoseconds() {
  constexpr std::uint64_t ns_max = 1'000'000'000'000'000;  // what leat::work_ns takes
  const std::uint64_t ns = stream_.number("a time");
  if (ns > ns_max) refuse(fmt::format("{} ns: must be {} at most", ns, ns_max));
  return ns;
}

std::uint64_t recording_parser::known_site() {
  const std::uint64_t id = stream_.number("a site");
  if (!sites_.contains(id)) refuse(fmt::format("site {}: has no name on this stream", id));
  return id;
}

std::uint32_t recording_parser::name_of_group(std::uint64_t id) {
  return left_.groups.try_emplace(id, static_cast<std::uint32_t>(left_.groups.size() + 1)).first->second;
}

std::uint32_t recording_parser::name_of_future(std::uint64_t id) {
  return left_.futures.try_emplace(id, static_cast<std::uint32_t>(left_.futures.size())).first->second;
}

// Outside of any bracket it is the program's own thread that runs, between two runs.
void recording_parser::strand() {
  const std::uint64_t ns = nanoseconds();
  if (open_.empty()) {
    left_.phases.push_back({at_, {false, ns}});
    return;
  }
  // Between the blocks of a loop, and between branch and elsewhere, no code of the program runs.
  if (open_.back().kind == bracket::loop) return;
  open_.back().has_code = true;
  if (ns != 0) add(strand_code::strand, ns);
}

void recording_parser::fork() {
  around();
  static_cast<void>(known_site());
  const std::uint64_t id = stream_.number("an ID");
  open_.push_back({bracket::first, at_, id, add(strand_code::fork, 0)});
}

void recording_parser::branch() {
  open& fork = innermost(bracket::first);
  fork.end = add(strand_code::end, 0);
  into_.words[fork.word] = {strand_code::fork, here()};
  fork.kind = bracket::second;
  fork.has_code = false;
}

void recording_parser::join() {
  const open fork = innermost(bracket::second);
  add(strand_code::end, 0);
  into_.words[fork.end] = {strand_code::end, here()};
  open_.pop_back();
}

void recording_parser::elsewhere() {
  const std::uint64_t id = stream_.number("an ID");
  const open fork = innermost(bracket::second);
  if (id != fork.id) refuse(fmt::format("{}: the fork that byte {} begins is {}", id, fork.offset, fork.id));
  if (fork.has_code) refuse(fmt::format("operations since the branch of the fork that byte {} begins", fork.offset));
  into_.words[fork.end] = {strand_code::end, here()};
  left_.makers.push_back({fork.id, fork.word, fork.offset});
  open_.pop_back();
}

// A sequence of its own in the middle of another one, which goes on behind it.
void recording_parser::begin_aside(bracket kind, std::uint64_t id) {
  open o{kind, at_, id};
  if (!open_.empty()) o.word = add(strand_code::jump, 0) + 1;
  open_.push_back(o);
}

void recording_parser::end_aside(const open& ended) {
  add(strand_code::end, 0);
  if (ended.word != 0) into_.words[ended.word - 1] = {strand_code::jump, here()};
}

void recording_parser::segment() {
  const std::uint64_t id = stream_.number("an ID");
  begin_aside(bracket::segment, id);
  left_.segments.push_back({id, here(), at_});
}

void recording_parser::end() {
  if (open_.empty()) refuse("nothing is open");
  const open ended = open_.back();
  switch (ended.kind) {
    case bracket::segment:
    case bracket::open_block: end_aside(ended); break;
    default:
      refuse(fmt::format("the innermost bracket is the {} that byte {} begins",
                         name_of_bracket[static_cast<std::size_t>(ended.kind)], ended.offset));
  }
  open_.pop_back();
}

void recording_parser::spawn() {
  around();
  static_cast<void>(known_site());
  const std::uint64_t group = stream_.number("a group");
  const std::uint64_t id = stream_.number("an ID");
  left_.makers.push_back({id, add(strand_code::spawn, 0), at_});
  add(strand_code::end, group == 0 ? 0 : name_of_group(group));
}

void recording_parser::wait() {
  around();
  const std::uint64_t group = stream_.number("a group");
  if (group == 0) refuse("group 0: is none");
  add(strand_code::wait, name_of_group(group));
}

void recording_parser::barrier() {
  around();
  add(strand_code::barrier, 0);
}

void recording_parser::loop() {
  around();
  const std::uint64_t id = stream_.number("an ID");
  static_cast<void>(known_site());
  const std::uint64_t iterations = stream_.number("a number of iterations");
  add(strand_code::loop, into_.loops.size());
  into_.loops.push_back({iterations, 0, 0, false});
  left_.loops.push_back({id, at_});
  open_.push_back({bracket::loop, at_, id});
}

recording::block recording_parser::iterations(std::uint64_t& loop_id) {
  loop_id = stream_.number("a loop");
  recording::block b{};
  b.first = stream_.number("an iteration");
  b.count = stream_.number("a number of iterations");
  if (b.first + b.count < b.first)
    refuse(fmt::format("{} iterations from {} on: more than a loop can have", b.count, b.first));
  return b;
}

void recording_parser::block() {
  std::uint64_t loop_id = 0;
  recording::block b = iterations(loop_id);
  b.cost = nanoseconds();
  left_.blocks.push_back({loop_id, at_, b});
}

void recording_parser::open_block() {
  std::uint64_t loop_id = 0;
  recording::block b = iterations(loop_id);
  begin_aside(bracket::open_block, loop_id);
  b.cost = here();
  b.open = true;
  left_.blocks.push_back({loop_id, at_, b});
}

void recording_parser::loop_end() {
  const std::uint64_t id = stream_.number("an ID");
  const open& begun = innermost(bracket::loop);
  if (begun.id != id) refuse(fmt::format("{}: the loop that byte {} begins is {}", id, begun.offset, begun.id));
  open_.pop_back();
}

void recording_parser::future() {
  around();
  static_cast<void>(known_site());
  const std::uint64_t id = stream_.number("an ID");
  left_.makers.push_back({id, add(strand_code::future, 0), at_});
  add(strand_code::end, name_of_future(id));
  left_.made_futures.insert(id);
}

void recording_parser::await() {
  around();
  const std::uint64_t id = stream_.number("an ID");
  const bool known = left_.futures.contains(id);
  const std::uint32_t name = name_of_future(id);
  if (!known) left_.awaited.push_back({id, name, at_});
  add(strand_code::await, name);
}

void recording_parser::blocking() {
  around();
  add(strand_code::blocking, nanoseconds());
}

// A run in the middle of another one is a part of that: the workers of its runtime are not told apart.
void recording_parser::run() {
  if (!open_.empty()) {
    around();
    open_.push_back({bracket::inner_run, at_});
    return;
  }
  left_.phases.push_back({at_, {true, here()}});
  open_.push_back({bracket::run, at_});
}

void recording_parser::run_end() {
  if (!open_.empty() && open_.back().kind == bracket::inner_run) {
    open_.pop_back();
    return;
  }
  static_cast<void>(innermost(bracket::run));
  add(strand_code::end, 0);
  open_.pop_back();
}

void recording_parser::outside() {
  const std::uint64_t ns = nanoseconds();
  if (!open_.empty())
    refuse(fmt::format("{} ns: in the {} that byte {} begins", ns,
                       name_of_bracket[static_cast<std::size_t>(open_.back().kind)], open_.back().offset));
  left_.phases.push_back({at_, {false, ns}});
}

// So many are executed one by one when the recording is.
std::uint64_t recording_parser::many(std::string_view what) {
  constexpr std::uint64_t many_max = 1'000'000'000'000;
  const std::uint64_t number = stream_.number(what);
  if (number > many_max) refuse(fmt::format("{} {}: must be {} at most", number, what, many_max));
  return number;
}

void recording_parser::sums() {
  around();
  recording::sums s{};
  s.work_ns = nanoseconds();
  s.span_ns = nanoseconds();
  s.strands = many("strands");
  s.forks = many("forks");
  if (s.span_ns > s.work_ns)
    refuse(fmt::format("a span of {} ns: is longer than the work, {} ns", s.span_ns, s.work_ns));
  add(strand_code::sums, into_.all_sums.size());
  into_.all_sums.push_back(s);
}

void recording_parser::site() {
  const std::uint64_t id = stream_.number("an ID");
  const std::uint64_t length = stream_.number("a length");
  for (std::uint64_t i = 0; i < length; ++i) static_cast<void>(stream_.byte("the end of a name"));
  sites_.insert(id);
}

}  // namespace leat::sim
