// What every rank of the tests on MPI runs: mpi_rank ENGINE WORKERS tiny RUNS | ENGINE WORKERS throw RANK |
// ENGINE WORKERS endless | transport large FOLDER

#include <leat/cluster.hpp>
#include <leat/cluster_mpi.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

// A complete binary tree of this many levels below its root.
struct node {
  std::uint32_t levels;
};

constexpr auto expand = [](const node& n, auto&& emit) {
  if (n.levels != 0) {
    emit(node{n.levels - 1});
    emit(node{n.levels - 1});
  }
  return std::uint64_t{1};
};

// Many runs, so short that ranks are without work most of the time.
int count_tiny_trees(leat::cluster& on, std::uint32_t runs) {
  for (std::uint32_t i = 0; i < runs; ++i) {
    const std::uint32_t levels = i % 8;
    const auto nodes = on.run(std::vector{node{levels}}, std::uint64_t{0}, expand, std::plus<>{});
    if (nodes != (std::uint64_t{2} << levels) - 1) return 1;
  }
  return 0;
}

// One rank throws, in the middle of a tree that nobody would see the end of.
int fail_on(leat::cluster& on, std::uint32_t rank) {
  const auto fails = [&](const node& n, auto&& emit) {
    if (on.rank() == rank) throw std::runtime_error("the mill stands still");
    return expand(n, emit);
  };
  constexpr std::uint32_t endless = 60;
  const std::vector<node> roots(on.ranks(), node{endless});
  try {
    (void)on.run(roots, std::uint64_t{0}, fails, std::plus<>{});
  } catch (const leat::rank_failed& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
  }
  return 0;
}

int run_endlessly(leat::cluster& on) {
  std::printf("working\n");
  std::fflush(stdout);
  constexpr std::uint32_t endless = 60;
  (void)on.run(std::vector<node>(on.ranks(), node{endless}), std::uint64_t{0}, expand, std::plus<>{});
  return 0;
}

// Rank 1 sends more than travels without its help, and then leaves MPI alone until rank 0 has looked for it many times. They
// tell each other of that by files.
int send_much(leat::ranks::transport& by, const std::filesystem::path& folder) {
  const auto await = [&](const char* file) {
    while (!std::filesystem::exists(folder / file)) std::this_thread::yield();
  };
  const std::vector<std::byte> much(std::size_t{1} << 24, std::byte{7});
  leat::ranks::message got;
  if (by.rank() == 1) {
    by.send(0, much);
    std::ofstream(folder / "sent").flush();
    await("looked");
    while (!by.receive(got)) {
    }
    return 0;
  }
  await("sent");
  bool has_it = false;
  constexpr int looks = 10'000;
  for (int i = 0; i < looks; ++i) {
    if (!has_it) has_it = by.receive(got);
    std::this_thread::yield();
  }
  std::ofstream(folder / "looked").flush();
  while (!has_it) has_it = by.receive(got);
  by.send(1, {});
  return got.from == 1 && got.bytes == much ? 0 : 1;
}

int run(int argc, char** argv) {
  if (argc < 4) throw std::invalid_argument("mpi_rank ENGINE WORKERS tiny|throw|endless [NUMBER]");
  if (std::string_view(argv[1]) == "transport") {
    const std::filesystem::path folder = argv[3];
    return send_much(*leat::mpi_transport(&argc, &argv), folder);
  }
  leat::cluster_options options;
  options.engine = argv[1];
  options.workers = static_cast<std::uint32_t>(std::stoul(argv[2]));
  options.poll_us = 5;
  leat::cluster on(leat::mpi_transport(&argc, &argv), options);
  const std::string_view what = argv[3];
  const auto number = static_cast<std::uint32_t>(argc > 4 ? std::stoul(argv[4]) : 0);
  if (what == "tiny") return count_tiny_trees(on, number);
  if (what == "throw") return fail_on(on, number);
  return run_endlessly(on);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 4;
  }
}
