// The machine that this process runs on, and memory on its domains: all that leat asks of hwloc.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "leat/topology/cpus.hpp"
#include "leat/topology/machine.hpp"
#include "leat/topology/memory.hpp"
#include "leat/topology/xml_file.hpp"

#if defined(LEAT_HWLOC)
#include <hwloc.h>
#include <unistd.h>
#endif

namespace leat::inline LEAT_ABI::topology {

#if defined(LEAT_HWLOC)

namespace {

// For unique_ptr: what hwloc gave is given back to hwloc, also where a constructor throws half-way.
struct freed {
  void operator()(hwloc_bitmap_s* set) const noexcept { hwloc_bitmap_free(set); }
  void operator()(hwloc_topology* t) const noexcept { hwloc_topology_destroy(t); }
};
using cpu_set = std::unique_ptr<hwloc_bitmap_s, freed>;

// hwloc does not look whether it got the memory that it asked for, and ends the process where it did not. So what it takes for
// this host is asked for beforehand, and given back at once. The objects of its tree have sets with a bit for each CPU: it takes
// 45 KB for 2 CPUs, 700 KB for 512, 1.1 GB for 65536.
void check_memory() {
  constexpr std::size_t bytes_of_tree = std::size_t{1} << 20, bytes_of_cpu = 2048, sets_of_cpu = 2;
  const auto cpus = static_cast<std::size_t>(std::clamp(sysconf(_SC_NPROCESSORS_CONF), 1L, long{units_max}));
  ::operator delete(::operator new(bytes_of_tree + cpus * (bytes_of_cpu + cpus * sets_of_cpu / CHAR_BIT)));
}

// A set of these CPUs. hwloc grows it as far as the largest number.
cpu_set set_of(const std::vector<unsigned>& cpus) {
  cpu_set set(hwloc_bitmap_alloc());
  if (!set) throw std::bad_alloc();
  for (const unsigned cpu : cpus) {
    if (hwloc_bitmap_set(set.get(), cpu) != 0) throw std::bad_alloc();
  }
  return set;
}

// hwloc's own idea of the machine, with the kinds of objects that are domains.
class tree {
 public:
  tree() {
    // The order is hwloc's: where the description comes from and which kinds are kept must be known before the tree
    // is loaded, and only a loaded tree can be restricted.
    check_memory();
    hwloc_topology* t = nullptr;
    if (hwloc_topology_init(&t) != 0) throw std::bad_alloc();
    handle_.reset(t);
    heed_environment();
    choose_kinds();
    if (hwloc_topology_load(t) != 0) refuse("hwloc finds no machine there");
    // hwloc knows of cgroups, but not of the affinity that this thread was given.
    // Nor does a description have anything to do with that affinity. REMOVE_CPULESS: a NUMA node that has none of
    // these CPUs would be a domain without units.
    if (is_host() &&
        hwloc_topology_restrict(t, set_of(read_cpus().allowed).get(), HWLOC_RESTRICT_FLAG_REMOVE_CPULESS) != 0) {
      refuse("has none of the CPUs that this process may use");
    }
    if (hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU) > static_cast<int>(units_max)) refuse("has too many units");
  }

  // Good as long as this object. Functions that only read the tree may be called by several threads at once.
  hwloc_topology* get() const { return handle_.get(); }
  hwloc_obj& root() const { return *hwloc_get_root_obj(handle_.get()); }

  // Or is what a variable of the environment describes.
  bool is_host() const { return hwloc_topology_is_thissystem(handle_.get()) != 0; }

  [[noreturn]] void refuse(const std::string& why) const { throw std::invalid_argument("leat: " + name_ + ": " + why); }

 private:
  // hwloc itself would pass over what it cannot read there, and describe the host instead.
  void heed_environment() {
    const auto read_xml = [this](hwloc_topology* t, const char* path) {
      if (const std::string fault = fault_in_xml_file(path); !fault.empty()) refuse(fault);
      return hwloc_topology_set_xml(t, path);
    };
    const auto read_text = [](hwloc_topology* t, const char* text) { return hwloc_topology_set_synthetic(t, text); };
    if (!read_from("HWLOC_XMLFILE", read_xml)) read_from("HWLOC_SYNTHETIC", read_text);
  }

  // Hands the variable's value to `read`, if it has one, and says whether it had. An empty value counts as none. From
  // here on messages name the variable, as the fault is in what it says and not in this machine.
  template <class Read>
  bool read_from(const char* variable, Read read) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return false;
    name_ = std::string(variable) + " = '" + value + "'";
    if (read(handle_.get(), value) != 0) refuse("hwloc cannot read it");
    return true;
  }

  // Nothing but what may become a domain. The machine, NUMA nodes and units are in every tree, whatever the filter
  // says. KEEP_STRUCTURE leaves out what has the same units as its only child.
  void choose_kinds() {
    hwloc_topology* const t = handle_.get();
    hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (const auto kind : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE}) {
      hwloc_topology_set_type_filter(t, kind, HWLOC_TYPE_FILTER_KEEP_ALL);
    }
    for (const auto kind : {HWLOC_OBJ_GROUP, HWLOC_OBJ_DIE, HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
                            HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE}) {
      hwloc_topology_set_type_filter(t, kind, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    }
  }

  std::unique_ptr<hwloc_topology, freed> handle_;
  // What messages name as the source of the tree.
  std::string name_ = "the topology of this machine";
};

// Every kind that choose_kinds keeps has a word here; a group is what is left.
std::string_view kind_of(const hwloc_obj& o) {
  switch (o.type) {
    case HWLOC_OBJ_MACHINE: return "machine";
    case HWLOC_OBJ_PACKAGE: return "package";
    case HWLOC_OBJ_DIE: return "die";
    case HWLOC_OBJ_L5CACHE: return "l5";
    case HWLOC_OBJ_L4CACHE: return "l4";
    case HWLOC_OBJ_L3CACHE: return "l3";
    case HWLOC_OBJ_L2CACHE: return "l2";
    case HWLOC_OBJ_L1CACHE: return "l1";
    case HWLOC_OBJ_CORE: return "core";
    case HWLOC_OBJ_PU: return "pu";
    default: return "group";
  }
}

// Whether a NUMA node lies beside the object. One without CPUs, such as a node of slower memory, is the domain of no unit.
bool has_memory(const hwloc_obj& o) {
  for (const hwloc_obj* m = o.memory_first_child; m != nullptr; m = m->next_sibling) {
    if (hwloc_bitmap_iszero(m->cpuset) == 0) return true;
  }
  return false;
}

}  // namespace

// hwloc hangs memory beside the tree, on an object that has the same units. Here a NUMA node is a domain: beneath what may hold
// several nodes, above caches and cores; and a group that hwloc made for a node is that node.
// Depth first, as `add` wants it. Of each leaf the CPU is noted in the same order in which `finish` numbers the
// units, so the two lists fit together. `object` is a void*, as the header does not know hwloc.
void machine::add_beneath(domain_id parent, const void* object) {
  const auto& o = *static_cast<const hwloc_obj*>(object);
  if (hwloc_bitmap_iszero(o.cpuset) != 0) return;
  const bool numa = has_memory(o);
  const bool holds_nodes = o.type == HWLOC_OBJ_MACHINE || o.type == HWLOC_OBJ_PACKAGE || o.type == HWLOC_OBJ_DIE;
  domain_id inner = parent;
  if (numa && !holds_nodes) inner = add("numa", inner);
  if (!numa || o.type != HWLOC_OBJ_GROUP) inner = add(kind_of(o), inner);
  if (numa && holds_nodes) inner = add("numa", inner);
  if (o.arity == 0) cpus_.push_back(static_cast<unsigned>(hwloc_bitmap_first(o.cpuset)));
  // It calls itself once for each level of hwloc's tree.
  for (const hwloc_obj* c = o.first_child; c != nullptr; c = c->next_sibling) add_beneath(inner, c);
}

machine machine::of_host() {
  const tree known;
  machine m;
  m.add_beneath(root_domain, &known.root());
  m.finish();
  // Both can happen with a description alone. They are found in the finished tree: what counts is what became a
  // domain, not what hwloc read.
  if (m.levels() < 2) known.refuse("has no processing unit beneath its root");  // its objects have empty sets of CPUs
  if (m.levels() > levels_max + 1) known.refuse("has too many levels");
  m.from_ = known.is_host() ? source::host : source::described;
  // Numbers of another machine's CPUs mean nothing here.
  if (!known.is_host()) m.cpus_.clear();
  return m;
}

// Read once, and kept: memory may be freed by the program's last static object.
// If it throws, the next call tries again. hwloc's tree may be read by any number of threads, as nothing changes it
// any more.
static hwloc_topology* memory_topology() {
  static const tree* const kept = new tree;
  return kept->get();
}

void* domain_memory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (cpus_.empty()) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  // hwloc gives whole pages by mmap, so any smaller alignment is met.
  if (alignment > alignment_max) throw std::bad_alloc();
  // Made for each allocation: it costs little beside the system calls, and threads that allocate at once share
  // nothing.
  const cpu_set near = set_of(cpus_);
  // Not HWLOC_MEMBIND_STRICT: where a node is full, or nothing can be bound, memory is memory still.
  void* const memory =
      hwloc_alloc_membind(memory_topology(), std::max<std::size_t>(bytes, 1), near.get(), HWLOC_MEMBIND_BIND, 0);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void domain_memory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  if (cpus_.empty()) return std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  // By munmap, with the same number of bytes: that is all that hwloc knows of the block.
  hwloc_free(memory_topology(), memory, std::max<std::size_t>(bytes, 1));
}

#else

machine machine::of_host() {
  // Without hwloc: only which CPUs there are.
  std::vector<unsigned> cpus = read_cpus().allowed;
  cpus.resize(std::min<std::size_t>(cpus.size(), units_max));
  machine m = flat(static_cast<std::uint32_t>(cpus.size()), source::host);
  m.cpus_ = std::move(cpus);
  return m;
}

void* domain_memory::do_allocate(std::size_t bytes, std::size_t alignment) {
  return std::pmr::new_delete_resource()->allocate(bytes, alignment);
}

void domain_memory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
}

#endif

}  // namespace leat::inline LEAT_ABI::topology
