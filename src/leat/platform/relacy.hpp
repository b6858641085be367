// Relacy Race Detector (package relacy-dev), without the names that it takes from the language and from <cassert>, and with
// the release sequences of C++20.
#pragma once

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>

// Relacy defines macros of these names, so that a client's own allocations and assertions come to it. leat tells it
// of memory by itself, and its headers use the words as the language means them. The standard headers above are read
// first: they would not survive the macros.
#pragma push_macro("assert")
#pragma push_macro("calloc")
#pragma push_macro("delete")
#pragma push_macro("errno")
#pragma push_macro("free")
#pragma push_macro("malloc")
#pragma push_macro("new")
#pragma push_macro("realloc")
#include <relacy/relacy.hpp>
#pragma pop_macro("assert")
#pragma pop_macro("calloc")
#pragma pop_macro("delete")
#pragma pop_macro("errno")
#pragma pop_macro("free")
#pragma pop_macro("malloc")
#pragma pop_macro("new")
#pragma pop_macro("realloc")
// These too are Relacy's macros: std::memory_order_relaxed and the like could not be written.
#undef memory_order_acq_rel
#undef memory_order_acquire
#undef memory_order_consume
#undef memory_order_relaxed
#undef memory_order_release
#undef memory_order_seq_cst
#undef VAR
#undef $

namespace rl {

// Relacy has the release sequences of C++11 (or longer ones): a plain store continues what the store before it has
// released, if both were made by the same thread. Since C++20 only read-modify-writes do, so what a plain store releases
// is what its own thread has done: all of that, or, if it is relaxed, what came before the thread's last fence.
template <thread_id_t threads>
unsigned release_alone(atomic_data* word, unsigned record, const timestamp_t (&done)[threads]) {
  std::copy_n(done, threads, static_cast<atomic_data_impl<threads>*>(word)->history_[record].acq_rel_order_);
  return record;
}

// And it leaves open which threads have seen the first value of a word that has one from the beginning: none has, and all may.
template <thread_id_t threads>
unsigned there_for_all(atomic_data* word, unsigned record) {
  auto& first = static_cast<atomic_data_impl<threads>*>(word)->history_[record];
  first.acq_rel_timestamp_ = 0;
  std::fill_n(first.acq_rel_order_, threads, timestamp_t{0});
  std::fill_n(first.first_seen_order_, threads, ~timestamp_t{0});
  return record;
}

// For each number of threads that a client may have: only a full specialisation can take the place of a member of
// Relacy's. With another number a client would be checked with the rules of C++11, and in silence;
// execution::threads_max keeps clients from that.
template <>
inline unsigned thread_info<2>::atomic_store_relaxed(atomic_data* word) {
  return release_alone(word, atomic_store<mo_relaxed, false>(word), release_fence_order_);
}
template <>
inline unsigned thread_info<2>::atomic_store_release(atomic_data* word) {
  return release_alone(word, atomic_store<mo_release, false>(word), acq_rel_order_);
}
template <>
inline unsigned thread_info<2>::atomic_init(atomic_data* word) {
  return there_for_all<2>(word, atomic_store<mo_relaxed, false>(word));
}
template <>
inline unsigned thread_info<3>::atomic_store_relaxed(atomic_data* word) {
  return release_alone(word, atomic_store<mo_relaxed, false>(word), release_fence_order_);
}
template <>
inline unsigned thread_info<3>::atomic_store_release(atomic_data* word) {
  return release_alone(word, atomic_store<mo_release, false>(word), acq_rel_order_);
}
template <>
inline unsigned thread_info<3>::atomic_init(atomic_data* word) {
  return there_for_all<3>(word, atomic_store<mo_relaxed, false>(word));
}

}  // namespace rl
