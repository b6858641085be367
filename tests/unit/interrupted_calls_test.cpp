// Which system calls in tasks see EINTR when the runtime interrupts their thread: the table of docs/internals/interrupts.md.
#include <gtest/gtest.h>

#include "engines.hpp"

#if defined(__linux__) && !defined(LEAT_UNDER_TSAN)

#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

#include "leat/platform/native.hpp"

namespace {

using native = leat::platform::native;

constexpr timespec long_time{20, 0};

timespec in_a_long_time() {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec += long_time.tv_sec;
  return t;
}

// What the calls work on. end() lets a call that was restarted return.
struct things {
  std::array<int, 2> pipe{};
  std::array<int, 2> pair{};
  int listener = -1;
  sockaddr_un address = {};
  sem_t semaphore;
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> change{false};
  int lock_file = -1;
  int other_lock_file = -1;
  std::atomic<pid_t> child{0};
  std::atomic<pid_t> lock_holder{0};

  things() {
    EXPECT_EQ(::pipe(pipe.data()), 0);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    address.sun_family = AF_UNIX;
    // An abstract name: no file.
    std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "leat-test-%d-%p", getpid(),
                  static_cast<void*>(this));
    EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener, 1), 0);
    sem_init(&semaphore, 0, 0);
    std::string name = ::testing::TempDir() + "leat_lock_XXXXXX";
    lock_file = mkstemp(name.data());
    other_lock_file = ::open(name.c_str(), O_RDWR);
    unlink(name.c_str());
    EXPECT_GE(other_lock_file, 0);
    EXPECT_EQ(flock(lock_file, LOCK_EX), 0);
  }
  things(const things&) = delete;
  things& operator=(const things&) = delete;
  ~things() {
    for (const int fd : {pipe[0], pipe[1], pair[0], pair[1], listener, lock_file, other_lock_file}) close(fd);
    sem_destroy(&semaphore);
  }

  void fill_pipe() {
    std::array<char, 4096> bytes{};
    fcntl(pipe[1], F_SETFL, O_NONBLOCK);
    while (write(pipe[1], bytes.data(), bytes.size()) > 0) {
    }
    fcntl(pipe[1], F_SETFL, 0);
  }

  void end() {
    std::array<char, 4096> bytes{};
    EXPECT_EQ(write(pair[1], "x", 1), 1);
    sem_post(&semaphore);
    change = true;
    changed.notify_all();
    flock(lock_file, LOCK_UN);
    const int client = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    close(client);
    if (child != 0) kill(child, SIGKILL);
    // Reading makes room for the writer, writing serves the reader.
    fcntl(pipe[0], F_SETFL, O_NONBLOCK);
    if (read(pipe[0], bytes.data(), bytes.size()) <= 0) {
      fcntl(pipe[0], F_SETFL, 0);
      EXPECT_EQ(write(pipe[1], "x", 1), 1);
    }
  }
};

enum class outcome { goes_on, fails_with_eintr, returns_early };

struct call {
  const char* name;
  outcome expected;
  bool (*make)(things&);  // true if it was interrupted
};

bool seen(long result) { return result == -1 && errno == EINTR; }

void set_timeout(int socket, int which) {
  const timeval limit{long_time.tv_sec, 0};
  EXPECT_EQ(setsockopt(socket, SOL_SOCKET, which, &limit, sizeof limit), 0);
}

char byte;

constexpr call calls[] = {
    {"read_of_a_pipe", outcome::goes_on, [](things& t) { return seen(read(t.pipe[0], &byte, 1)); }},
    {"write_to_a_full_pipe", outcome::goes_on,
     [](things& t) {
       t.fill_pipe();
       return seen(write(t.pipe[1], &byte, 1));
     }},
    {"recv", outcome::goes_on, [](things& t) { return seen(recv(t.pair[0], &byte, 1, 0)); }},
    {"recv_with_a_timeout", outcome::fails_with_eintr,
     [](things& t) {
       set_timeout(t.pair[0], SO_RCVTIMEO);
       return seen(recv(t.pair[0], &byte, 1, 0));
     }},
    {"accept", outcome::goes_on, [](things& t) { return seen(accept(t.listener, nullptr, nullptr)); }},
    {"accept_with_a_timeout", outcome::fails_with_eintr,
     [](things& t) {
       set_timeout(t.listener, SO_RCVTIMEO);
       return seen(accept(t.listener, nullptr, nullptr));
     }},
    {"send_with_a_timeout", outcome::fails_with_eintr,
     [](things& t) {
       std::array<char, 4096> bytes{};
       while (send(t.pair[0], bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
       }
       set_timeout(t.pair[0], SO_SNDTIMEO);
       return seen(send(t.pair[0], bytes.data(), bytes.size(), 0));
     }},
    {"flock", outcome::goes_on, [](things& t) { return seen(flock(t.other_lock_file, LOCK_EX)); }},
    {"fcntl_F_OFD_SETLKW", outcome::goes_on,
     [](things& t) {
       struct flock whole = {};
       whole.l_type = F_WRLCK;
       whole.l_whence = SEEK_SET;
       // Both locks are this process's, so they are of open files; a thread of ours frees the first.
       EXPECT_EQ(fcntl(t.lock_file, F_OFD_SETLK, &whole), 0);
       std::thread later([&t] {
         while (!t.change) usleep(1000);
         struct flock none = {};
         none.l_type = F_UNLCK;
         none.l_whence = SEEK_SET;
         fcntl(t.lock_file, F_OFD_SETLK, &none);
       });
       struct flock wanted = whole;
       const bool interrupted = seen(fcntl(t.other_lock_file, F_OFD_SETLKW, &wanted));
       t.change = true;
       later.join();
       return interrupted;
     }},
    {"waitpid", outcome::goes_on,
     [](things& t) {
       const pid_t child = fork();
       if (child == 0) {
         sleep(20);
         _exit(0);
       }
       t.child = child;
       return seen(waitpid(child, nullptr, 0));
     }},
    {"sem_wait", outcome::goes_on, [](things& t) { return seen(sem_wait(&t.semaphore)); }},
    {"sem_timedwait", outcome::fails_with_eintr,
     [](things& t) {
       const timespec end = in_a_long_time();
       return seen(sem_timedwait(&t.semaphore, &end));
     }},
    {"condition_variable_wait_for", outcome::goes_on,
     [](things& t) {
       std::unique_lock lock(t.mutex);
       return !t.changed.wait_for(lock, std::chrono::seconds(20), [&] { return t.change.load(); });
     }},
    {"this_thread_sleep_for", outcome::goes_on,
     [](things&) {
       const auto start = std::chrono::steady_clock::now();
       std::this_thread::sleep_for(std::chrono::milliseconds(60));
       return std::chrono::steady_clock::now() - start < std::chrono::milliseconds(60);
     }},
    {"nanosleep", outcome::fails_with_eintr, [](things&) { return seen(nanosleep(&long_time, nullptr)); }},
    {"clock_nanosleep", outcome::fails_with_eintr,
     [](things&) { return clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, nullptr) == EINTR; }},
    {"usleep", outcome::fails_with_eintr, [](things&) { return seen(usleep(900'000)); }},
    {"sleep", outcome::returns_early, [](things&) { return sleep(20) != 0; }},
    {"poll", outcome::fails_with_eintr, [](things&) { return seen(poll(nullptr, 0, 20'000)); }},
    {"ppoll", outcome::fails_with_eintr, [](things&) { return seen(ppoll(nullptr, 0, &long_time, nullptr)); }},
    {"select", outcome::fails_with_eintr,
     [](things&) {
       timeval limit{long_time.tv_sec, 0};
       return seen(select(0, nullptr, nullptr, nullptr, &limit));
     }},
    {"pselect", outcome::fails_with_eintr,
     [](things&) { return seen(pselect(0, nullptr, nullptr, nullptr, &long_time, nullptr)); }},
    {"epoll_wait", outcome::fails_with_eintr,
     [](things&) {
       const int set = epoll_create1(0);
       epoll_event event;
       const bool interrupted = seen(epoll_wait(set, &event, 1, 20'000));
       close(set);
       return interrupted;
     }},
    {"pause", outcome::fails_with_eintr, [](things&) { return seen(pause()); }},
    {"sigtimedwait", outcome::fails_with_eintr,
     [](things&) {
       sigset_t none;
       sigemptyset(&none);
       return seen(sigtimedwait(&none, nullptr, &long_time));
     }},
    {"msgrcv", outcome::fails_with_eintr,
     [](things&) {
       const int queue = msgget(IPC_PRIVATE, 0600);
       struct {
         long type;
         char text;
       } message = {};
       const bool interrupted = seen(msgrcv(queue, &message, 1, 0, 0));
       msgctl(queue, IPC_RMID, nullptr);
       return interrupted;
     }},
    {"semop", outcome::fails_with_eintr,
     [](things&) {
       const int set = semget(IPC_PRIVATE, 1, 0600);
       sembuf take{0, -1, 0};
       const bool interrupted = seen(semop(set, &take, 1));
       semctl(set, 0, IPC_RMID);
       return interrupted;
     }},
};

std::atomic<int> handled{0};
void count_handled() { ++handled; }

class interrupted_calls : public ::testing::TestWithParam<call> {};

TEST_P(interrupted_calls, go_on_or_fail_as_documented) {
  native::claim_interrupts(count_handled);
  {
    things t;
    std::atomic<bool> begun{false};
    std::atomic<bool> returned{false};
    std::atomic<bool> interrupted{false};
    native::thread caller([&] {
      begun = true;
      interrupted = GetParam().make(t);
      returned = true;
    });
    EXPECT_TRUE(leat_test::comes_true([&] { return begun.load(); }));
    if (GetParam().expected == outcome::goes_on) {
      for (int i = 0; i < 5; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
        const int before = handled;
        if (returned) break;  // a sleep: we were away for longer
        caller.interrupt();
        EXPECT_TRUE(leat_test::comes_true([&] { return returned || handled != before; }));
      }
      t.end();
    } else {
      // The first may come too early to find it in the call.
      EXPECT_TRUE(leat_test::comes_true([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (!returned) caller.interrupt();
        return returned.load();
      }));
    }
    caller.join();
    EXPECT_EQ(interrupted, GetParam().expected != outcome::goes_on);
  }
  native::release_interrupts(count_handled);
}

INSTANTIATE_TEST_SUITE_P(table, interrupted_calls, ::testing::ValuesIn(calls),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace

#endif
