#include "turns.hpp"

#include <pthread.h>

#include <cstddef>
#include <exception>
#include <iomanip>
#include <iostream>
#include <thread>
#include <utility>

namespace leat::rivals {

parameters::parameters(const char* const* words, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t split = word.find('=');
    if (split == 0 || split == std::string::npos) throw std::invalid_argument("'" + word + "': must be key=value");
    values_[word.substr(0, split)] = word.substr(split + 1);
  }
}

const std::string& parameters::word(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::invalid_argument(name + ": is missing");
  return found->second;
}

double parameters::number(const std::string& name) const {
  const std::string& text = word(name);
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size()) throw std::invalid_argument(name + " = '" + text + "': must be a number");
  return value;
}

std::int64_t parameters::integer(const std::string& name) const {
  const double value = number(name);
  const auto whole = static_cast<std::int64_t>(value);
  if (static_cast<double>(whole) != value) {
    throw std::invalid_argument(name + " = '" + word(name) + "': must be a whole number");
  }
  return whole;
}

namespace {

// Where a library's threads run other tasks while one waits, calls nest as deep as luck has it. Address space alone.
void give_threads_room() {
  constexpr std::size_t stack_bytes = std::size_t{1} << 30;
  pthread_attr_t usual;
  pthread_attr_init(&usual);
  pthread_attr_setstacksize(&usual, stack_bytes);
  pthread_setattr_default_np(&usual);
  pthread_attr_destroy(&usual);
}

int serve(const program& run) {
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (line != "run") {
      std::cerr << "'" << line << "': must be 'run'\n";
      return 2;
    }
    const turn t = run();
    std::cout << std::setprecision(9) << t.seconds << ' ' << t.found << std::endl;
  }
  return 0;
}

int serve(int argc, char** argv, const maker& make) {
  try {
    if (argc < 2) throw std::invalid_argument("which kernel? usage: NAME KERNEL key=value ...");
    return serve(make(argv[1], parameters(argv + 2, argc - 2)));
  } catch (const cannot& e) {
    std::cout << "cannot " << e.what() << std::endl;
    return 0;
  } catch (const std::exception& e) {
    std::cerr << argv[0] << ": " << e.what() << '\n';
    return 2;
  }
}

}  // namespace

int take_turns(int argc, char** argv, const maker& make) {
  give_threads_room();
  int status = 0;
  std::thread([&] { status = serve(argc, argv, make); }).join();  // it may be one of the library's workers
  return status;
}

}  // namespace leat::rivals
