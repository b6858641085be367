// The names by which constructs measure, on a platform that does so. On all others they are declared, but empty.
#pragma once

#include <type_traits>

#include "leat/platform/chosen.hpp"

namespace leat::inline LEAT_ABI::strands {

/// Whether programs on this platform are measured.
template <class P>
inline constexpr bool profiles = [] {
  if constexpr (requires { P::profiles; }) return P::profiles;
  else return false;
}();

/// An empty object, in place of one that measures.
struct unmeasured {};

}  // namespace leat::inline LEAT_ABI::strands

#if LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 4

#include "leat/strands/fork.hpp"
#include "leat/strands/loop.hpp"
#include "leat/strands/tasks.hpp"

#define LEAT_CALL_SITES 1
// Which calls are left to the overload with a pack.
#define LEAT_BESIDE_SITES(which) requires(which)

// The last parameter of a public function: the line that calls it. Then the forms in which the function passes it on.
#define LEAT_SITE_PARAMETER , ::leat::strands::call_site leat_site = ::leat::strands::call_site::here()
#define LEAT_SITE_ALONE ::leat::strands::call_site leat_site = ::leat::strands::call_site::here()
// The kind of a template parameter that must not be a call site.
#define LEAT_NO_SITE ::leat::strands::no_site
#define LEAT_SITE_TAKEN , ::leat::strands::call_site leat_site
#define LEAT_SITE_ARGUMENT , leat_site
// A callable without arguments, as the root of a run that is measured.
#define LEAT_CALL_ROOT(f) ::leat::strands::call_root<::leat::platform::chosen>(f, leat_site)
// The same within runtime::run, which has a run_call.
#define LEAT_CALL_ROOT_OF(call, f) (call).call_root(f, leat_site)
#define LEAT_CALLED_AT_SITE() ::leat::strands::called_at<::leat::platform::chosen>(leat_site)

#else

#define LEAT_SITE_PARAMETER
#define LEAT_SITE_ALONE
#define LEAT_BESIDE_SITES(which)
#define LEAT_NO_SITE class
#define LEAT_SITE_TAKEN
#define LEAT_SITE_ARGUMENT
#define LEAT_CALL_ROOT(f) f()
#define LEAT_CALL_ROOT_OF(call, f) f()
#define LEAT_CALLED_AT_SITE() static_cast<void>(0)

namespace leat::inline LEAT_ABI::strands {

template <class P>
class session;
template <class P>
class measured_pause;
template <class P>
class measured_run;
template <class P>
class left_stack;
template <class P>
class measured_group;
template <class P>
class measured_future;
template <class P>
class measured_node;
template <class P>
class measured_spawned_loop;
template <class P, bool is_call>
class measured_construct;
template <class P>
class measured_fork;
template <class P, class F, bool second>
struct branch_call;
template <class P, class Part>
class measured_part;
template <class P>
class loop_call;
template <class Part>
inline constexpr bool is_measured = false;
template <class P>
class measured_piece;
template <class F>
inline constexpr bool is_spawned = false;

template <class P>
class executing_future;
template <class P>
class executing_node;
template <class P>
class blocked_strand;
template <class P, class... Args>
void spawn(Args&&...);
template <class P, class... Args>
void make_node(Args&&...);
template <class P, class... Args>
void call_node(Args&&...);
template <class P>
void barrier_ended();

}  // namespace leat::inline LEAT_ABI::strands

#endif

namespace leat::inline LEAT_ABI::strands {

template <class P>
using pause = std::conditional_t<profiles<P>, measured_pause<P>, unmeasured>;
template <class P>
using run_call = std::conditional_t<profiles<P>, measured_run<P>, unmeasured>;
template <class P>
using leaving_stack = std::conditional_t<profiles<P>, left_stack<P>, unmeasured>;
// Of a function that makes a task.
template <class P>
using making = std::conditional_t<profiles<P>, measured_construct<P, false>, unmeasured>;
// Of a function whose parts are measured by themselves.
template <class P>
using whole_call = std::conditional_t<profiles<P>, measured_construct<P, true>, unmeasured>;
template <class P>
using group_sums = std::conditional_t<profiles<P>, measured_group<P>, unmeasured>;
template <class P>
using future_part = std::conditional_t<profiles<P>, measured_future<P>, unmeasured>;
template <class P>
using node_part = std::conditional_t<profiles<P>, measured_node<P>, unmeasured>;
template <class P>
using spawned_loop = std::conditional_t<profiles<P>, measured_spawned_loop<P>, unmeasured>;

}  // namespace leat::inline LEAT_ABI::strands
