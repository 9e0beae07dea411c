// A switch between hosts that are network namespaces of this machine: it forwards each frame after a fixed delay.
//
//   weir-delayed-switch DELAY_US /proc/PID/ns/net...
//
// It creates a tap device, weir0, in each namespace; the devices vanish with it. The kernel's own means, the queue discipline
// netem, is not in every kernel. It prints "ready" when it accepts frames and, on SIGTERM, how late it sent them.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr const char* device = "weir0";
// A timer wakes this program this much too early, and it polls until a frame is due.
constexpr std::int64_t awake_ns = 30'000;

volatile sig_atomic_t ended = 0;

std::int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor() {
    if (number_ >= 0) close(number_);
  }
  operator int() const { return number_; }

 private:
  int number_;
};

descriptor open_or_fail(const std::string& path, int flags) {
  const int number = open(path.c_str(), flags | O_CLOEXEC);
  if (number < 0) fail(path);
  return descriptor(number);
}

void enter(const descriptor& network) {
  if (setns(network, CLONE_NEWNET) != 0) fail("entering a network namespace (needs root)");
}

descriptor tap_in(const std::string& network) {
  const descriptor own = open_or_fail("/proc/self/ns/net", O_RDONLY);
  enter(open_or_fail(network, O_RDONLY));
  descriptor tap = open_or_fail("/dev/net/tun", O_RDWR | O_NONBLOCK);
  ifreq wanted{};
  wanted.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strncpy(wanted.ifr_name, device, IFNAMSIZ - 1);
  if (ioctl(tap, TUNSETIFF, &wanted) != 0) fail(std::string("making ") + device + " in " + network);
  enter(own);
  return tap;
}

// How late frames were sent, in microseconds.
class lateness {
 public:
  void note(std::int64_t ns) {
    ++counts_[static_cast<std::size_t>(std::clamp<std::int64_t>(ns / 1000, 0, longest))];
    ++frames_;
    most_ = std::max(most_, ns);
  }
  void print() const {
    std::printf("%llu frames; sent late by %zu us (median), %zu us (99 %%), %lld us (at most)\n",
                static_cast<unsigned long long>(frames_), quantile(0.5), quantile(0.99), static_cast<long long>(most_ / 1000));
  }

 private:
  static constexpr std::int64_t longest = 9999;
  std::size_t quantile(double part) const {
    std::uint64_t seen = 0;
    for (std::size_t us = 0; us < counts_.size(); ++us)
      if (seen += counts_[us]; static_cast<double>(seen) >= part * static_cast<double>(frames_)) return us;
    return longest;
  }

  std::array<std::uint64_t, longest + 1> counts_{};
  std::uint64_t frames_ = 0;
  std::int64_t most_ = 0;
};

class delayed_switch {
 public:
  delayed_switch(std::int64_t delay_ns, const std::vector<std::string>& networks) : delay_(delay_ns) {
    for (const std::string& network : networks) {
      taps_.push_back(tap_in(network));
      polled_.push_back({taps_.back(), POLLIN, 0});
    }
  }

  void run() {
    while (!ended) {
      wait();
      for (std::size_t port = 0; port < taps_.size(); ++port)
        if (polled_[port].revents & POLLIN) receive(port);
      send_what_is_due();
    }
    late_.print();
  }

 private:
  using address = std::array<unsigned char, ETH_ALEN>;
  struct frame {
    std::int64_t due;
    std::size_t from;
    std::vector<unsigned char> bytes;
  };

  void wait() {
    timespec length{};
    if (!under_way_.empty()) {
      const std::int64_t left = std::max<std::int64_t>(under_way_.front().due - now() - awake_ns, 0);
      length = {left / 1'000'000'000, left % 1'000'000'000};
    }
    if (ppoll(polled_.data(), polled_.size(), under_way_.empty() ? nullptr : &length, &while_waiting_) < 0) {
      if (errno != EINTR) fail("waiting for frames");
      for (pollfd& p : polled_) p.revents = 0;
    }
  }

  void receive(std::size_t port) {
    unsigned char bytes[65536];
    for (ssize_t length; (length = read(taps_[port], bytes, sizeof bytes)) > 0;) {
      if (length < ETH_HLEN) continue;
      // All frames have the same delay, so the first to arrive is due first, and each link keeps its order.
      under_way_.push_back({now() + delay_, port, {bytes, bytes + length}});
      home_[address_at(bytes + ETH_ALEN)] = port;
    }
  }

  void send_what_is_due() {
    for (std::int64_t time = now(); !under_way_.empty() && under_way_.front().due <= time; under_way_.pop_front()) {
      const frame& f = under_way_.front();
      const auto known = home_.find(address_at(f.bytes.data()));
      for (std::size_t port = 0; port < taps_.size(); ++port) {
        if (port == f.from || (known != home_.end() && known->second != port)) continue;
        // A device that is down, or whose queue is full, loses frames as a network does.
        if (write(taps_[port], f.bytes.data(), f.bytes.size()) < 0 && errno != EIO && errno != EAGAIN && errno != ENOBUFS)
          fail("sending a frame");
      }
      time = now();
      late_.note(time - f.due);
    }
  }

  static address address_at(const unsigned char* bytes) {
    address a;
    std::copy_n(bytes, a.size(), a.begin());
    return a;
  }

  const std::int64_t delay_;
  std::vector<descriptor> taps_;
  std::vector<pollfd> polled_;
  std::deque<frame> under_way_;
  std::map<address, std::size_t> home_;  // learnt from the frames' senders; broadcast addresses have none
  lateness late_;
  const sigset_t while_waiting_{};       // SIGTERM is delivered only there
};

void prepare() {
  struct sigaction end{};
  end.sa_handler = [](int) { ended = 1; };
  sigaction(SIGTERM, &end, nullptr);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  // The hosts' processes spin on the same processors, and a real network would not wait for them. Without the permission the
  // delay is less exact.
  const sched_param first{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) std::perror("weir-delayed-switch: no real-time priority");
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) std::perror("weir-delayed-switch: memory may be paged out");
}

std::optional<std::int64_t> nanoseconds(const char* microseconds) {
  char* end = nullptr;
  const double us = std::strtod(microseconds, &end);
  if (end == microseconds || *end != '\0' || !(us >= 0 && us <= 10e6)) return std::nullopt;
  return static_cast<std::int64_t>(1e3 * us);
}

}  // namespace

int main(int argc, char** argv) {
  const auto delay = argc < 3 ? std::nullopt : nanoseconds(argv[1]);
  if (!delay) {
    std::fputs("usage: weir-delayed-switch DELAY_US NETWORK_NAMESPACE...   (0 to 10000000 us; /proc/PID/ns/net)\n", stderr);
    return 2;
  }
  try {
    prepare();
    delayed_switch between(*delay, {argv + 2, argv + argc});
    std::puts("ready");
    std::fflush(stdout);
    between.run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "weir-delayed-switch: %s\n", e.what());
    return 1;
  }
}
