#include "leat/cluster/mpi/mpi_transport.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <list>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leat/cluster/failure.hpp"
#include "leat/cluster/mpi/nodes.hpp"
#include "leat/platform/chosen.hpp"

namespace leat::inline LEAT_ABI {

namespace {

using ranks::rank_id;

// Any number would do, as the communicator is this transport's own.
constexpr int mail_tag = 1;

// The words come first in the window, the landing zone behind them.
constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t page_bytes = 4096;  // see open_window

constexpr std::size_t message_bytes_max = std::numeric_limits<int>::max();  // MPI counts in int

// SMPI, where a process has one thread, does without.
template <class P>
constexpr bool has_ibarrier = !requires { P::one_thread; };

void must(int error, const char* call) {
  if (error == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0, initialised = 0;
  MPI_Initialized(&initialised);
  // Before that, MPI 3.1 has no words for its errors.
  if (initialised != 0) MPI_Error_string(error, text.data(), &length);
  else std::snprintf(text.data(), text.size(), "error %d", error);
  throw std::runtime_error(std::string("leat::mpi_transport: ") + call + ": " + text.data());
}

// MPI's errors are fatal: its default handler names the rank and the cause, and ends all ranks. Only what is called
// before there is a communicator of our own may find another handler, the program's, and is looked at.
//
// To each rank there is a *way*, a row of deliveries, of which only the first is under way. MPI orders messages
// between two ranks, but not writes, nor a message behind a write: the row does (TRANSPORT-1). Calls put deliveries
// into rows; `receive` takes all rows on as far as they come, so it is the progress call. Messages that come are
// received in the same way, without waiting.
class mpi_world final : public ranks::transport {
 public:
  mpi_world(int* argc, char*** argv) {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised != 0) throw std::logic_error("leat::mpi_transport: MPI has been finalised");
    int support = MPI_THREAD_SINGLE;  // is enough where the program has no other thread
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (initialised == 0) {
      // A program that has initialised MPI also finalises it, in its own time.
      must(MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &support), "MPI_Init_thread");
      finalises_ = true;
    } else must(MPI_Query_thread(&support), "MPI_Query_thread");
    serves_any_thread_ = support >= MPI_THREAD_SERIALIZED;
    try {
      join();
    } catch (...) {
      // MPI is not finalised: that waits for the other ranks, which may have joined. As this one dies, its launcher
      // ends them.
      if (among_ != MPI_COMM_NULL) MPI_Comm_free(&among_);
      throw;
    }
  }

  // Collective, but for a rank that gave up: so first what all wait for together, then the window, then the
  // communicator, each of which is needed by what stands before it.
  ~mpi_world() override {
    if (!abandoned_.empty()) {
      // Written here, as the program may never get to say it.
      std::fprintf(stderr, "%s\n", abandoned_.c_str());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    leave_together();
    if (window_ != MPI_WIN_NULL) {
      MPI_Win_unlock_all(window_);
      if (read_state_ != MPI_REQUEST_NULL) MPI_Wait(&read_state_, MPI_STATUS_IGNORE);  // of a run that failed
      MPI_Win_free(&window_);
    }
    MPI_Comm_free(&among_);
    if (finalises_) MPI_Finalize();
  }

  rank_id rank() const noexcept override { return rank_; }
  rank_id ranks() const noexcept override { return ranks_; }
  std::vector<rank_id> nodes() const override { return node_of_; }
  bool serves_any_thread() const noexcept override { return serves_any_thread_; }

  void send(rank_id to, std::span<const std::byte> bytes) override {
    // What waits on one rank is one message of a cut.
    if (bytes.size() > message_bytes_max) {
      throw std::length_error("leat::cluster: a message of " + std::to_string(bytes.size()) + " bytes; MPI carries " +
                              std::to_string(message_bytes_max) + " at most");
    }
    // A copy, as MPI reads the bytes until the delivery is done.
    delivery d{};
    d.step = delivery::post;
    d.landing.assign(bytes.begin(), bytes.end());
    enqueue(to, std::move(d));
  }

  // No row has a delivery: what was written is at its target, and what was sent is MPI's to bring.
  bool all_sent() const noexcept override { return busy_ways_.empty(); }

  // At most one message begins to come in each call. MPI matches those of one sender in order, but may complete a
  // short one before a long one that was sent earlier: so one is given out only when none before it is of the same
  // sender. O(messages that are coming, squared).
  bool receive(ranks::message& into) override {
    progress();
    if (window_ != MPI_WIN_NULL && ++receives_ % receives_between_flushes == 0) {
      // SMPI keeps what others read here until this rank flushes, and looks through all of it at every write.
      // Elsewhere there is nothing to wait for: a rank reads and writes itself at once.
      MPI_Win_flush_local(static_cast<int>(rank_), window_);
    }
    begin_arrival();
    for (auto a = arrivals_.begin(); a != arrivals_.end(); ++a) {
      const auto from_the_same = [a](const arrival& other) { return other.inside.from == a->inside.from; };
      if (std::any_of(arrivals_.begin(), a, from_the_same) || !is_done(a->state)) continue;  // TRANSPORT-1
      into = std::move(a->inside);
      arrivals_.erase(a);
      return true;
    }
    return false;
  }

  void open_window(std::size_t words, std::size_t landing_bytes) override {
    landing_at_ = words * word_bytes;
    // In whole pages: on one machine MPICH 4.0.2 takes another rank's window to begin right behind its neighbour's,
    // at an odd place, while that rank itself begins at the next multiple of 16.
    const std::size_t bytes = (landing_at_ + landing_bytes + page_bytes - 1) / page_bytes * page_bytes;
    MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, among_, &own_, &window_);
    std::memset(own_, 0, bytes);
    // One passive epoch, from here to the end: no rank ever waits for another's permission. NOCHECK, as none asks for
    // the window alone. The barrier comes last: no rank may write before all are zero.
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    MPI_Win_sync(window_);
    MPI_Barrier(among_);
  }

  // The synchronisation comes before what is read, and after what is written, here: on machines where others'
  // accesses go to a copy of the window it makes the two copies alike, elsewhere it is a fence.
  void load(std::size_t first, std::span<std::uint64_t> into) override {
    MPI_Win_sync(window_);
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = own_word(first + i);
  }

  void store(std::size_t word, std::uint64_t value) override {
    own_word(word) = value;
    MPI_Win_sync(window_);
  }

  void take_landed(std::span<std::byte> into) override {
    MPI_Win_sync(window_);
    if (!into.empty()) std::memcpy(into.data(), own_ + landing_at_, into.size());
  }

  // One at a time: MPI writes to read_value_ whenever the answer comes.
  void read(rank_id of, std::size_t word) override {
    MPI_Rget(&read_value_, word_bytes, MPI_BYTE, static_cast<int>(of), displacement(word), word_bytes, MPI_BYTE,
             window_, &read_state_);
  }

  // Only after `read`: without one under way the state is that of a finished one.
  std::optional<std::uint64_t> take_read() override {
    if (!is_done(read_state_)) return std::nullopt;
    return read_value_;
  }

  void write(rank_id to, std::span<const std::byte> landing, std::size_t word, std::uint64_t value) override {
    delivery d{};
    d.landing.assign(landing.begin(), landing.end());
    d.before.resize(landing.size());  // now, as nothing may throw when its turn comes
    d.word = word;
    d.value = value;
    enqueue(to, std::move(d));
  }

  // Atomic among accumulates of one operation, unless the window says otherwise: so a word is added to, or replaced,
  // by other ranks, but never both. The flush waits for the target, as no other call does (TRANSPORT-2).
  std::uint64_t add(rank_id of, std::size_t word, std::uint64_t addend) override {
    std::uint64_t was = 0;
    MPI_Fetch_and_op(&addend, &was, MPI_UINT64_T, static_cast<int>(of), displacement(word), MPI_SUM, window_);
    MPI_Win_flush(static_cast<int>(of), window_);
    return was;
  }

  void abandon(std::string_view why) override { abandoned_ = why; }

 private:
  // A communicator of its own: no message of the program's can be taken for one of leat's, nor the other way round.
  void join() {
    MPI_Comm copy = MPI_COMM_NULL;
    must(MPI_Comm_dup(MPI_COMM_WORLD, &copy), "MPI_Comm_dup");
    among_ = copy;
    MPI_Comm_set_errhandler(among_, MPI_ERRORS_ARE_FATAL);  // whatever the program has chosen for its own
    int number = 0;
    MPI_Comm_rank(among_, &number);
    rank_ = static_cast<rank_id>(number);
    MPI_Comm_size(among_, &number);
    ranks_ = static_cast<rank_id>(number);
    node_of_ = ranks::nodes_among(among_, rank_, ranks_);
    ways_.resize(ranks_);
    busy_ways_.reserve(ranks_);  // so that what is on a way is always on its way
  }

  // What is on its way to a rank: a message, or bytes for the landing zone and then a word. It goes step by step,
  // none of which waits: the next begins when MPI says that the last is done at the target. So it says of an
  // accumulate that brings back what was there before, but not of a put: only a flush would tell, and may wait for as
  // long as the target computes.
  //
  // MPI reads and writes the bytes, the values and the state of a delivery while it is under way, so a delivery stays
  // at one address until it is done: rows are lists.
  struct delivery {
    enum step_kind : std::uint8_t { land, write_word, post };
    step_kind step = land;
    std::vector<std::byte> landing;
    std::vector<std::byte> before;
    std::size_t word = 0;
    std::uint64_t value = 0;
    std::uint64_t value_before = 0;
    MPI_Request state = MPI_REQUEST_NULL;
  };

  // A message that has begun to come. A long one comes whole only when its sender calls MPI again, which may be after
  // a long task: no rank waits for it. As with a delivery, MPI knows its address.
  struct arrival {
    ranks::message inside;
    MPI_Request state = MPI_REQUEST_NULL;
  };

  // Until all ranks are here, and all that was sent has been received: what came too late for its run is, too, as its
  // sender may wait for that.
  //
  // The barrier does not block: this rank takes its deliveries on and receives meanwhile, and so does every other, so
  // none waits for a rank that only waits. It begins when this rank has nothing more to send.
  void leave_together() {
    constexpr double wait_s_max = 1e-9 * static_cast<double>(ranks::failure_wait_max_ns);
    const bool thrown_out = std::uncaught_exceptions() > exceptions_before_;
    const double since = MPI_Wtime();
    MPI_Request all_here = MPI_REQUEST_NULL;
    bool here = false;
    for (;;) {
      progress();
      try {
        begin_arrival();
      } catch (const std::bad_alloc&) {  // the message stays where it is; what is here already may give memory back
      }
      std::erase_if(arrivals_, [](arrival& a) { return is_done(a.state); });
      if (busy_ways_.empty() && !here) {
        here = true;
        if constexpr (has_ibarrier<platform::chosen>) MPI_Ibarrier(among_, &all_here);
      }
      if (here && is_done(all_here) && arrivals_.empty()) return;
      if (thrown_out && MPI_Wtime() - since > wait_s_max) {
        std::fprintf(stderr, "leat::cluster: rank %u is left by an exception, and others are not\n",
                     static_cast<unsigned>(rank_));
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      platform::chosen::yield();
    }
  }

  // What the probe has seen is received from its sender: no other thread receives here, so that it is the same message.
  void begin_arrival() {
    int waits = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, mail_tag, among_, &waits, &status);
    if (waits == 0) return;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    ranks::message coming{static_cast<rank_id>(status.MPI_SOURCE), {}};
    coming.bytes.resize(static_cast<std::size_t>(size));  // or it stays where it is
    arrival& a = arrivals_.emplace_back();
    a.inside = std::move(coming);
    MPI_Irecv(a.inside.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, mail_tag, among_, &a.state);
  }

  // A delivery to an empty row begins at once. A write without bytes begins with its word.
  void enqueue(rank_id to, delivery d) {
    if (d.step == delivery::land && d.landing.empty()) d.step = delivery::write_word;
    // In the row before the rank is among the busy ways, whose memory is reserved: if the row has no memory, nothing
    // has changed.
    std::list<delivery>& way = ways_[to];
    way.push_back(std::move(d));
    if (way.size() != 1) return;
    busy_ways_.push_back(to);
    begin(to, way.front());
  }

  // Does not wait, and does not throw: it is called where the row has just lost its first delivery.
  void begin(rank_id to, delivery& d) noexcept {
    const int target = static_cast<int>(to);
    const int size = static_cast<int>(d.landing.size());
    switch (d.step) {
      case delivery::land:
        MPI_Rget_accumulate(d.landing.data(), size, MPI_BYTE, d.before.data(), size, MPI_BYTE, target,
                            static_cast<MPI_Aint>(landing_at_), size, MPI_BYTE, MPI_REPLACE, window_, &d.state);
        return;
      case delivery::write_word:
        MPI_Rget_accumulate(&d.value, 1, MPI_UINT64_T, &d.value_before, 1, MPI_UINT64_T, target, displacement(d.word),
                            1, MPI_UINT64_T, MPI_REPLACE, window_, &d.state);
        return;
      case delivery::post: MPI_Isend(d.landing.data(), size, MPI_BYTE, target, mail_tag, among_, &d.state); return;
    }
  }

  // SMPI completes some operations at once, and then leaves no request; of none it says that it is not done.
  static bool is_done(MPI_Request& state) {
    if (state == MPI_REQUEST_NULL) return true;
    int done = 0;
    MPI_Test(&state, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }

  // Begins what can be begun. One way is in order (TRANSPORT-1). Ways with nothing on them are left out: of 65536
  // ranks a rank sends to few at a time.
  void progress() {
    for (std::size_t i = 0; i < busy_ways_.size();) {
      const rank_id to = busy_ways_[i];
      std::list<delivery>& way = ways_[to];
      // As many steps as are done by now, so that short messages do not each take a call.
      while (!way.empty()) {
        delivery& d = way.front();
        if (!is_done(d.state)) break;
        if (d.step == delivery::land) {
          d.step = delivery::write_word;
        } else {
          way.pop_front();
        }
        if (!way.empty()) begin(to, way.front());
      }
      if (way.empty()) {
        busy_ways_.erase(busy_ways_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }

  // Others write it behind the compiler's back.
  volatile std::uint64_t& own_word(std::size_t word) noexcept {
    return *reinterpret_cast<volatile std::uint64_t*>(own_ + word * word_bytes);
  }

  static MPI_Aint displacement(std::size_t word) noexcept { return static_cast<MPI_Aint>(word * word_bytes); }

  // Rarely enough to cost nothing, and often enough that few reads are kept (receive).
  static constexpr std::uint32_t receives_between_flushes = 64;

  // With more of them at the end, an exception destroys this object.
  const int exceptions_before_ = std::uncaught_exceptions();

  bool finalises_ = false;
  bool serves_any_thread_ = false;
  std::uint32_t receives_ = 0;
  MPI_Comm among_ = MPI_COMM_NULL;
  std::vector<rank_id> node_of_;
  rank_id rank_ = 0;
  rank_id ranks_ = 1;
  std::vector<std::list<delivery>> ways_;  // by target
  std::list<arrival> arrivals_;  // in the order in which they began
  std::vector<rank_id> busy_ways_;  // targets to which something is on its way
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* own_ = nullptr;
  std::size_t landing_at_ = 0;
  std::uint64_t read_value_ = 0;
  MPI_Request read_state_ = MPI_REQUEST_NULL;
  std::string abandoned_;
};

}  // namespace

std::unique_ptr<ranks::transport> mpi_transport(int* argc, char*** argv) {
  return std::make_unique<mpi_world>(argc, argv);
}

}  // namespace leat::inline LEAT_ABI
