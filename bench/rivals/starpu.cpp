// StarPU's tasks on its CPU workers. A task may submit others, but not wait for them: what forks is left out.

#include "inputs.hpp"

#include "kernels/busy_loop.hpp"

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using number = std::uint64_t;

// Of a worker, a cache line apart: how many tasks it has executed.
struct alignas(64) slot {
  number ran = 0;
};

// What all tasks of a run share.
struct production {
  std::int64_t consumers;
  number steps;
  std::vector<slot> slots;
};

void count(production& of) { ++of.slots[static_cast<std::size_t>(starpu_worker_get_id())].ran; }

void consume(void**, void* of) {
  leat::kernels::busy_loop::run(static_cast<production*>(of)->steps);
  count(*static_cast<production*>(of));
}

void produce(void**, void* of);

struct kind : starpu_codelet {
  explicit kind(void (*f)(void**, void*)) : starpu_codelet{} { cpu_funcs[0] = f; }
};

kind consumer{consume};
kind producer{produce};

void submit(kind& what, void* of) {
  starpu_task* const task = starpu_task_create();
  task->cl = &what;
  task->cl_arg = of;
  if (starpu_task_submit(task) != 0) throw std::runtime_error("StarPU took no task");
}

// A producer of BPC, of which so many are left, itself included.
struct producing {
  production* of;
  std::int64_t left;
};

void produce(void**, void* argument) {
  auto* const self = static_cast<producing*>(argument);
  production& of = *self->of;
  count(of);
  // One after the other: the next begins when this one has submitted it, and takes its place in their array.
  if (self->left > 1) {
    self[1] = {&of, self->left - 1};
    submit(producer, self + 1);
  }
  for (std::int64_t i = 0; i < of.consumers; ++i) submit(consumer, &of);
}

template <class Start>
leat::rivals::program tasks(const leat::rivals::parameters& p, std::int64_t consumers, Start start) {
  return [start, of = production{consumers, leat::rivals::steps_of(p.integer("us"), p), {}}]() mutable {
    of.slots.assign(starpu_worker_get_count(), slot{});
    return leat::rivals::timed([&] {
      start(of);
      starpu_task_wait_for_all();
      number ran = 0;
      for (const slot& s : of.slots) ran += s.ran;
      return ran;
    });
  };
}

void start_workers(int workers) {
  starpu_conf how;
  starpu_conf_init(&how);
  how.ncpus = workers;
  how.ncuda = 0;
  how.nopencl = 0;
  if (starpu_init(&how) != 0 || starpu_cpu_worker_get_count() != static_cast<unsigned>(workers)) {
    throw std::runtime_error("StarPU has not " + std::to_string(workers) + " CPU workers");
  }
}

leat::rivals::program make(std::string_view kernel, const leat::rivals::parameters& p) {
  if (kernel == "spc" && p.word("splittable") != "true") {
    start_workers(static_cast<int>(p.integer("workers")));
    return tasks(p, 0, [n = p.integer("tasks")](production& of) {
      for (std::int64_t i = 0; i < n; ++i) submit(consumer, &of);
    });
  }
  if (kernel == "bpc" && p.word("splittable") != "true") {
    start_workers(static_cast<int>(p.integer("workers")));
    const std::int64_t d = p.integer("d");
    return tasks(p, p.integer("n"),
                 [d, all = std::vector<producing>(static_cast<std::size_t>(d))](production& of) mutable {
                   all.front() = {&of, d};
                   submit(producer, all.data());
                 });
  }
  throw leat::rivals::cannot("no program for " + std::string(kernel));
}

}  // namespace

int main(int argc, char** argv) {
  setenv("STARPU_SILENT", "1", 0);
  return leat::rivals::take_turns(argc, argv, make);
}
