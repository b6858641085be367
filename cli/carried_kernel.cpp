#include "carried_kernel.hpp"

#include "bench_kernel.hpp"
#include "bubble_trace_file.hpp"
#include "measurement.hpp"
#include "option_values.hpp"
#include "result_check.hpp"
#include "whole_file.hpp"

#include "kernels/gangs.hpp"
#include "kernels/pairs.hpp"
#include "kernels/refinement.hpp"
#include "kernels/stripes.hpp"
#include "kernels/thread_fib.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace leat::cli {

namespace {

namespace stripes = kernels::stripes;
namespace refinement = kernels::refinement;
namespace thread_fib = kernels::thread_fib;
namespace gangs = kernels::gangs;
namespace pairs = kernels::pairs;
using nlohmann::ordered_json;

void add_options(CLI::App& command, kernels::memory_model& m) {
  add_number(command, "--memory", m.share, "In simulated worlds: the share of work that waits for memory");
  add_number(command, "--far", m.far, "In simulated worlds: how many times slower the memory of another node is");
}

void add_options(CLI::App& command, stripes::parameters& p) {
  static constexpr std::array ways{stripes::way::simple, stripes::way::bound, stripes::way::bubbles,
                                   stripes::way::tree};
  add_word<stripes::way>(command, "--way", p.way, ways, "Who says where a stripe is computed");
  add_number(command, "--stripes", p.stripes, "Stripes, a thread for each");
  add_number(command, "--rows", p.rows, "Rows of a stripe");
  add_number(command, "--cycles", p.cycles, "Cycles, with a barrier after each");
  add_number(command, "--cell-ns", p.cell_ns, "In simulated worlds: nanoseconds of a cell");
  add_options(command, p.memory);
}

ordered_json to_json(const stripes::parameters& p) {
  return {{"way", name(p.way)},   {"stripes", p.stripes},     {"rows", p.rows},     {"cycles", p.cycles},
          {"cell_ns", p.cell_ns}, {"memory", p.memory.share}, {"far", p.memory.far}};
}

void add_options(CLI::App& command, refinement::parameters& p) {
  static constexpr std::array ways{refinement::way::simple, refinement::way::kept, refinement::way::regenerated};
  add_word<refinement::way>(command, "--way", p.way, ways, "Who says where a patch is computed");
  static constexpr std::array policies{kernels::policy::published, kernels::policy::affinity, kernels::policy::work};
  add_word<kernels::policy>(command, "--policy", p.policy, policies, "What decides where bubbles go");
  add_number(command, "--regions", p.regions, "Regions, one of which is refined");
  add_number(command, "--blocks", p.blocks, "Blocks of a region");
  add_number(command, "--patches", p.patches, "Patches of a block, a thread for each");
  add_number(command, "--cells", p.cells, "Cells of a coarse patch");
  add_number(command, "--finer", p.finer, "Cells of a refined patch for each cell of a coarse one");
  add_number(command, "--stays", p.stays, "Cycles after which the next region is refined");
  add_number(command, "--cycles", p.cycles, "Cycles, with a barrier after each");
  add_options(command, p.memory);
}

ordered_json to_json(const refinement::parameters& p) {
  return {{"way", name(p.way)},       {"regions", p.regions},     {"blocks", p.blocks}, {"patches", p.patches},
          {"cells", p.cells},         {"finer", p.finer},         {"stays", p.stays},   {"cycles", p.cycles},
          {"policy", name(p.policy)}, {"memory", p.memory.share}, {"far", p.memory.far}};
}

void add_options(CLI::App& command, thread_fib::parameters& p) {
  static constexpr std::array ways{thread_fib::way::simple, thread_fib::way::bubbles, thread_fib::way::placed};
  add_word<thread_fib::way>(command, "--way", p.way, ways, "What the threads of a call are put in");
  add_number(command, "-n", p.n, "Index of the number");
  add_number(command, "--depth", p.depth, "Depth of the calls that make two threads");
  add_number(command, "--lines", p.lines, "Cache lines that a call and each of its threads hand each other");
  command.add_flag("--bubbles-stay", p.bubbles_stay, "Idle units do not move bubbles that have burst");
}

ordered_json to_json(const thread_fib::parameters& p) {
  return {{"way", name(p.way)}, {"n", p.n}, {"depth", p.depth}, {"lines", p.lines}, {"bubbles_stay", p.bubbles_stay}};
}

void add_options(CLI::App& command, gangs::parameters& p) {
  static constexpr std::array ways{gangs::way::threads, gangs::way::gangs};
  add_word<gangs::way>(command, "--way", p.way, ways, "Who says when a gang executes");
  add_number(command, "--gangs", p.gangs, "Gangs");
  add_number(command, "--threads", p.threads, "Threads of a gang, one for each unit of the machine");
  add_number(command, "--steps", p.steps, "Steps of a thread, each after one of its neighbours' in the gang");
  add_number(command, "--lines", p.lines, "Cache lines of a thread, all of which a step changes");
  add_number(command, "--step-ns", p.step_ns, "In simulated worlds: nanoseconds of a step");
  add_number(command, "--every", p.every, "Steps from one message between gangs to the next");
  add_number(command, "--slice-us", p.slice_us, "Microseconds after which a gang makes room for another one");
}

ordered_json to_json(const gangs::parameters& p) {
  return {{"way", name(p.way)}, {"gangs", p.gangs},     {"threads", p.threads}, {"steps", p.steps},
          {"lines", p.lines},   {"step_ns", p.step_ns}, {"every", p.every},     {"slice_us", p.slice_us}};
}

void add_options(CLI::App& command, pairs::parameters& p) {
  static constexpr std::array ways{pairs::way::simple, pairs::way::bubbles};
  add_word<pairs::way>(command, "--way", p.way, ways, "Who says which two threads share a core");
  add_number(command, "--pairs", p.pairs, "Pairs of a thread that computes and one that visits memory");
  add_number(command, "--cycles", p.cycles, "Cycles, with a barrier after each");
  add_number(command, "--pieces", p.pieces, "Pieces of a cycle's work");
  add_number(command, "--piece-ns", p.piece_ns, "In simulated worlds: nanoseconds of a piece");
}

ordered_json to_json(const pairs::parameters& p) {
  return {
      {"way", name(p.way)}, {"pairs", p.pairs}, {"cycles", p.cycles}, {"pieces", p.pieces}, {"piece_ns", p.piece_ns}};
}

/// A kernel over user-level threads: parameters, serial(parameters), parallel(runtime, parameters).
template <class Parameters>
class carried_kernel final : public compared_kernel {
 public:
  carried_kernel(std::string name, std::string description, Parameters p = {})
      : name_(std::move(name)), description_(std::move(description)), parameters_(p) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string description() const override { return description_; }
  void add_options(CLI::App& command) override {
    cli::add_options(command, parameters_);
    command
        .add_option("--trace", trace_file_,
                    "Write what happens to bubbles in the last parallel run to this file, for leat report")
        ->type_name("FILE")
        ->check([](const std::string& file) { return file.empty() ? "must be a file's name" : ""; }, "");
  }

  void validate() override { parameters_.validate(); }

  void prepare() override {
    validate();
    if (!trace_file_.empty()) {
      expect_writable(trace_file_);
      trace_.emplace();  // here, since a simulated world's memory goes with it
    }
    expected_ = serial_of(parameters_).found;
  }

  [[nodiscard]] ordered_json parameters() const override { return to_json(parameters_); }

  [[nodiscard]] std::string title() const override { return fmt::format("{} ({})", name_, in_words(parameters())); }

  [[nodiscard]] double serial() override {
    const kernels::serial_outcome once = serial_of(parameters_);
    check_.take("serial", once.found, expected_);
    return once.seconds;
  }

  [[nodiscard]] double parallel(runtime& rt) override {
    last_ = parallel_of(rt, parameters_, trace_ ? &*trace_ : nullptr);
    check_.take(rt.scheduler(), last_.found, expected_);
    return last_.seconds;
  }

  void take_rival(const std::string& rival, std::uint64_t found) override { check_.take(rival, found, expected_); }
  [[nodiscard]] std::optional<counted_run> count(const leat::options&) override { return std::nullopt; }
  [[nodiscard]] std::string_view unit() const override { return "thread"; }
  [[nodiscard]] const std::string& failure() const override { return check_.failure(); }

  void write_files() const override {
    if (trace_) write_trace(*trace_, title(), trace_file_);
  }

  [[nodiscard]] ordered_json events() const override {
    const bubbles::bubble_counts& c = last_.counts;
    ordered_json all{
        {"down", c.down}, {"bursts", c.bursts}, {"recalls", c.recalls}, {"moves", c.moves}, {"widenings", c.widenings}};
    if (last_.answered_us >= 0) all["answered_us"] = last_.answered_us;
    return all;
  }

 private:
  static kernels::serial_outcome serial_of(const stripes::parameters& p) { return stripes::serial(p); }
  static kernels::serial_outcome serial_of(const refinement::parameters& p) { return refinement::serial(p); }
  static kernels::serial_outcome serial_of(const thread_fib::parameters& p) { return thread_fib::serial(p); }
  static kernels::serial_outcome serial_of(const gangs::parameters& p) { return gangs::serial(p); }
  static kernels::serial_outcome serial_of(const pairs::parameters& p) { return pairs::serial(p); }
  static kernels::carried_outcome parallel_of(runtime& rt, const gangs::parameters& p, bubble_trace* t) {
    return gangs::parallel(rt, p, t);
  }
  static kernels::carried_outcome parallel_of(runtime& rt, const pairs::parameters& p, bubble_trace* t) {
    return pairs::parallel(rt, p, t);
  }
  static kernels::carried_outcome parallel_of(runtime& rt, const stripes::parameters& p, bubble_trace* t) {
    return stripes::parallel(rt, p, t);
  }
  static kernels::carried_outcome parallel_of(runtime& rt, const refinement::parameters& p, bubble_trace* t) {
    return refinement::parallel(rt, p, t);
  }
  static kernels::carried_outcome parallel_of(runtime& rt, const thread_fib::parameters& p, bubble_trace* t) {
    return thread_fib::parallel(rt, p, t);
  }

  std::string name_, description_;
  Parameters parameters_;
  std::uint64_t expected_ = 0;
  kernels::carried_outcome last_;
  std::string trace_file_;
  std::optional<bubble_trace> trace_;
  result_check check_;
};

}  // namespace

std::vector<std::unique_ptr<compared_kernel>> carried_kernels() {
  std::vector<std::unique_ptr<compared_kernel>> all;
  using on_stripes = carried_kernel<stripes::parameters>;
  all.push_back(
      std::make_unique<on_stripes>("conduction", "Heat conduction, a user-level thread for each stripe of the mesh"));
  stripes::parameters advected;
  advected.scheme = stripes::scheme::advection;
  advected.cell_ns = 1.3;
  all.push_back(std::make_unique<on_stripes>("advection", "Advection, a user-level thread for each stripe of the mesh",
                                             advected));
  all.push_back(std::make_unique<carried_kernel<refinement::parameters>>(
      "mesh", "A mesh that is refined where something happens, a user-level thread for each patch"));
  all.push_back(std::make_unique<carried_kernel<thread_fib::parameters>>(
      "thread-fib", "Fibonacci numbers, a user-level thread for each call"));
  all.push_back(std::make_unique<carried_kernel<gangs::parameters>>(
      "gangs", "Gangs of user-level threads that communicate, and a thread for messages between gangs"));
  all.push_back(std::make_unique<carried_kernel<pairs::parameters>>(
      "pairs", "Pairs of user-level threads that need different parts of a core"));
  return all;
}

}  // namespace leat::cli
