// A predicate that a function asks and does not keep.
#pragma once

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::work {

/// A predicate, by reference: which costs no template in the function that asks it. It must outlive the call that it is passed to.
template <class... Args>
class asked {
 public:
  template <class F>
  asked(const F& f) noexcept
      : f_(&f), call_([](const void* p, Args... args) -> bool { return (*static_cast<const F*>(p))(args...); }) {}
  bool operator()(Args... args) const { return call_(f_, args...); }

 private:
  const void* f_;
  bool (*call_)(const void*, Args...);
};

}  // namespace leat::inline LEAT_ABI::work
