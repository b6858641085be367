// The processors of one scheduler that a paper describes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "leat/protocol/places.hpp"
#include "leat/protocol/published.hpp"
#include "leat/published/lcws_steps.hpp"
#include "leat/published/prell_steps.hpp"
#include "leat/published/work_stealing.hpp"

namespace leat::inline LEAT_ABI::published {

template <class P>
class processors final : public scheduler::channel_scheduler<P>::processors {
 public:
  using home_type = scheduler::channel_scheduler<P>;

  explicit processors(home_type& home)
      : home_(home), places_(map_of(home.config())), all_(std::size_t{home.config().workers} + home.config().spares) {}

  /// What settings::published says; null for leat's own scheduler. The caller owns it.
  static typename home_type::processors* of(home_type& home) {
    return home.config().published == protocol::published::none ? nullptr : new processors(home);
  }

  work::processor<P>& make(scheduler::worker<P>& me, protocol::worker_id id) override {
    const auto& s = home_.config();
    if (s.published == protocol::published::prell) all_[id] = std::make_unique<prell<P>>(me, turns_, places_, id, s);
    else if (s.published == protocol::published::work_stealing)
      all_[id] = std::make_unique<work_stealing<P>>(me, turns_, id, s);
    else all_[id] = std::make_unique<lcws<P>>(me, turns_, id, s.seed, s.published);
    return *all_[id];
  }

  bool submit(work::run<P>& r) override { return turns_.begin(r); }
  void wait_for_turn() override { turns_.wait_for_turn(); }
  void stop() noexcept override { turns_.stop(); }

  void enter(work::run<P>& r) override {
    if (is_prell()) first().enter(r);
    else turns_.enter(r);
  }
  void leave() override {
    if (is_prell()) first().leave();  // idle workers of prell sleep until the next run, whatever tasks are left
    else turns_.count_out();
  }

  /// A worker of prell that blocks answers no request, so a compensating one would find nothing.
  bool has_spares() const noexcept override { return !is_prell(); }

 private:
  static protocol::place_map map_of(const scheduler::settings& s) {
    if (s.places.empty()) return {std::vector<std::uint32_t>(s.workers, 0), s.prell};
    return {s.places, s.prell};
  }
  bool is_prell() const noexcept { return home_.config().published == protocol::published::prell; }

  prell<P>& first() noexcept { return static_cast<prell<P>&>(*all_[0]); }

  home_type& home_;
  const protocol::place_map places_;
  turns<P> turns_;
  std::vector<std::unique_ptr<work::processor<P>>> all_;
};

}  // namespace leat::inline LEAT_ABI::published
