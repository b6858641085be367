// Command lines of leat: they are parsed and checked as the program does it, and nothing is run. The first byte chooses the command,
// and each line of the rest is a word.
#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster_command.hpp"
#include "cluster_program.hpp"
#include "compared_kernel.hpp"
#include "comparing_flags.hpp"
#include "fuzz/expect.hpp"
#include "info_command.hpp"
#include "measuring_flags.hpp"
#include "parse_failure.hpp"
#include "report_command.hpp"
#include "runtime_flags.hpp"
#include "sim_command.hpp"
#include "topology_command.hpp"
#include "uts_flags.hpp"

namespace {

using leat_fuzz::expect;
using words = std::vector<std::string>;

// A command of the program, with what its words are put in.
class command {
 public:
  virtual ~command() = default;

  // Adds it to the program, and returns its name.
  virtual std::string add_to(CLI::App& program) = 0;

  // What its run checks before it begins. Throws std::invalid_argument.
  virtual void check() {}

  // The words that mean the same; none where it has no such function.
  virtual words again() { return {}; }
};

// leat bench KERNEL, and what leat compare KERNEL has of its own.
class kernel_command final : public command {
 public:
  explicit kernel_command(std::unique_ptr<leat::cli::compared_kernel> kernel) : kernel_(std::move(kernel)) {}

  std::string add_to(CLI::App& program) override {
    CLI::App& own = *program.add_subcommand(kernel_->name(), kernel_->description());
    kernel_->add_options(own);
    flags_.add_to(own);
    return kernel_->name();
  }

  void check() override {
    kernel_->validate();
    expect(flags_.repeat() >= 1, "there are no rounds");
    static_cast<void>(flags_.options());
    static_cast<void>(flags_.capacity());
    expect(!kernel_->title().empty() && kernel_->parameters().is_object(), "a kernel has no parameters");
  }

 private:
  std::unique_ptr<leat::cli::compared_kernel> kernel_;
  leat::cli::measuring_flags flags_;
};

// Splits what a function says in words with blanks between them.
words in_words(std::string_view text) {
  words all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) all.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

class tree_command final : public command {
 public:
  std::string add_to(CLI::App& program) override {
    tree_.add_to(*program.add_subcommand("uts"));
    return "uts";
  }
  void check() override {
    tree_.choose();
    tree_.tree().validate();
  }
  words again() override { return in_words(tree_.in_options()); }

 private:
  leat::cli::uts_flags tree_;
};

// All programs of clusters have the same flags but their own: which one it is makes the difference.
class ranks_command final : public command {
 public:
  explicit ranks_command(std::size_t which) : which_(which) {}

  std::string add_to(CLI::App& program) override {
    auto programs = leat::cli::cluster_programs();
    auto chosen = std::move(programs.at(which_ % programs.size()));
    name_ = chosen->name();
    own_ = std::make_unique<leat::cli::cluster_command>(program, std::move(chosen));
    return name_;
  }
  void check() override {
    own_->choose();
    expect(own_->in_options().starts_with(name_ + " "), "a cluster has no plan");
  }

 private:
  std::size_t which_;
  std::string name_;
  std::unique_ptr<leat::cli::cluster_command> own_;
};

class compare_flags_command final : public command {
 public:
  std::string add_to(CLI::App& program) override {
    flags_.add_to(*program.add_subcommand("compare"));
    return "compare";
  }
  void check() override { expect(!flags_.how().schedulers.empty(), "no scheduler is compared"); }

 private:
  leat::cli::comparing_flags flags_;
};

class runtime_flags_command final : public command {
 public:
  std::string add_to(CLI::App& program) override {
    flags_.add_to(*program.add_subcommand("info"));
    return "info";
  }
  void check() override { static_cast<void>(flags_.options()); }

 private:
  leat::cli::runtime_flags flags_;
};

// Those whose words are only parsed.
template <class Command>
class parsed_command final : public command {
 public:
  explicit parsed_command(std::string name) : name_(std::move(name)) {}
  std::string add_to(CLI::App& program) override {
    own_ = std::make_unique<Command>(program);
    return name_;
  }

 private:
  std::string name_;
  std::unique_ptr<Command> own_;
};

std::unique_ptr<command> chosen(std::uint8_t number) {
  constexpr std::uint8_t others = 7;
  constexpr std::uint8_t programs_after = 252;  // of clusters, after the first, which is 1
  if (number > programs_after) return std::make_unique<ranks_command>(number - programs_after);
  switch (number) {
    case 0: return std::make_unique<tree_command>();
    case 1: return std::make_unique<ranks_command>(0);
    case 2: return std::make_unique<compare_flags_command>();
    case 3: return std::make_unique<runtime_flags_command>();
    case 4: return std::make_unique<parsed_command<leat::cli::report_command>>("report");
    case 5: return std::make_unique<parsed_command<leat::cli::topology_command>>("topology");
    case 6: return std::make_unique<parsed_command<leat::cli::sim_command>>("sim");
    default: break;
  }
  auto kernels = leat::cli::compared_kernels();
  return std::make_unique<kernel_command>(std::move(kernels[(number - others) % kernels.size()]));
}

// Checks that a refusal says something of the words that were given, or of an option.
void expect_told(const std::string& message, const words& given) {
  expect(!message.empty(), "a command line is refused without a word");
  bool named = message.find("--") != std::string::npos || message.find(" -") != std::string::npos ||
               message.starts_with('-') || message == "FOLDER is required";
  for (const std::string& word : given) {
    named = named || message.find(word.substr(0, word.find('='))) != std::string::npos;
  }
  expect(named, "the message '" + message + "' names no word and no option");
}

// Parses and checks the words as main does. Returns whether they can be run.
bool accepted(command& asked, const words& given) {
  CLI::App program("", "leat");
  leat::cli::refuse_values_of_flags(program);
  const std::string name = asked.add_to(program);
  program.require_subcommand(0, 1);
  std::vector<const char*> arguments = {"leat", name.c_str()};
  for (const std::string& word : given) arguments.push_back(word.c_str());
  try {
    program.parse(static_cast<int>(arguments.size()), arguments.data());
    asked.check();
    return true;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      expect(program.help("", CLI::AppFormatMode::Normal).find(name) != std::string::npos, "the help names no command");
      return false;
    }
    expect_told(leat::cli::reason(program, error), given);
    expect(leat::cli::where_to_look(program).find("leat") != std::string::npos, "the hint names no command");
  } catch (const std::invalid_argument& error) {
    expect_told(error.what(), given);
  }
  return false;
}

words lines_of(std::string_view text) {
  words all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    all.emplace_back(std::string(text.substr(begin, end - begin)).c_str());  // a word ends at a zero byte
    begin = end + 1;
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t number = data[0];
  const words given = lines_of({reinterpret_cast<const char*>(data) + 1, size - 1});
  const std::unique_ptr<command> asked = chosen(number);
  if (!accepted(*asked, given)) return 0;
  const words again = asked->again();
  if (again.empty()) return 0;
  const std::unique_ptr<command> second = chosen(number);
  expect(accepted(*second, again) && second->again() == again, "what a command says of itself means something else");
  return 0;
}
