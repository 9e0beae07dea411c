// Blocking calls move all that they are given, while others compute and no signal comes.
#include "team.hpp"

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

extern "C" ssize_t checked_recv(int, void*, size_t, size_t, int) asm("__recv_chk");

namespace {

constexpr std::size_t size = 1024 * 1024;

unsigned char byte_of(std::size_t i, int by) { return static_cast<unsigned char>(i * 31 + i / 4096 + static_cast<unsigned>(by)); }
std::vector<unsigned char> bytes_of(int by) {
  std::vector<unsigned char> its(size);
  for (std::size_t i = 0; i < size; ++i) its[i] = byte_of(i, by);
  return its;
}

/// Half a page to a page at a time, and computes in between: the writer waits for many times.
void read_slowly(int from, int by) {
  std::vector<unsigned char> its(4096);
  std::size_t had = 0;
  int wrong_ones = 0;
  while (had < size) {
    const ssize_t count = read(from, its.data(), its.size());
    if (count <= 0) break;
    const auto next = had + static_cast<std::size_t>(count);
    for (std::size_t i = had; i < next; ++i) wrong_ones += its[i - had] != byte_of(i, by);
    if (next / 65536 != had / 65536) compute(0.002);
    had = next;
  }
  CHECK(had == size && wrong_ones == 0);
}
void write_slowly(int to, int by) {
  const std::vector<unsigned char> its = bytes_of(by);
  for (std::size_t done = 0; done < size; done += 65536) {
    CHECK(write(to, its.data() + done, 65536) == 65536);
    compute(0.002);
  }
}

/// One call that moves all of it; how much it has moved.
struct way {
  const char* name;
  bool receives, by_pipe;
  ssize_t (*move)(int end, std::vector<unsigned char>& its);
};
const way ways[] = {
    {"write to a pipe", false, true, [](int to, std::vector<unsigned char>& its) { return write(to, its.data(), its.size()); }},
    {"writev to a pipe", false, true, [](int to, std::vector<unsigned char>& its) {
       iovec parts[16];
       for (std::size_t i = 0; i < 16; ++i) parts[i] = {its.data() + i * (size / 16), size / 16};
       return writev(to, parts, 16);
     }},
    {"write to a socket", false, false,
     [](int to, std::vector<unsigned char>& its) { return write(to, its.data(), its.size()); }},
    {"send", false, false, [](int to, std::vector<unsigned char>& its) { return send(to, its.data(), its.size(), 0); }},
    {"sendmsg", false, false, [](int to, std::vector<unsigned char>& its) {
       iovec parts[2] = {{its.data(), size / 2}, {its.data() + size / 2, size / 2}};
       msghdr all{};
       all.msg_iov = parts;
       all.msg_iovlen = 2;
       return sendmsg(to, &all, 0);
     }},
    {"sendfile", false, false, [](int to, std::vector<unsigned char>& its) {
       const int file = memfd_create("weir", 0);
       CHECK(write(file, its.data(), its.size()) == static_cast<ssize_t>(size));
       off_t from = 0;
       const ssize_t count = sendfile(to, file, &from, size);
       const int why = errno;
       close(file);
       errno = why;
       return count;
     }},
    {"recv with MSG_WAITALL", true, false, [](int from, std::vector<unsigned char>& its) {
       return recv(from, its.data(), its.size(), MSG_WAITALL);
     }},
    {"checked recv with MSG_WAITALL", true, false, [](int from, std::vector<unsigned char>& its) {
       return checked_recv(from, its.data(), its.size(), its.size(), MSG_WAITALL);
     }},
    {"recvmsg with MSG_WAITALL", true, false, [](int from, std::vector<unsigned char>& its) {
       iovec part{its.data(), its.size()};
       msghdr all{};
       all.msg_iov = &part;
       all.msg_iovlen = 1;
       return recvmsg(from, &all, MSG_WAITALL);
     }},
};

template <class Others>
void pairs_move(Others others) {
  std::vector<int> to(static_cast<std::size_t>(members)), from(static_cast<std::size_t>(members));
  for (const way& its : ways) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      int ends[2];
      CHECK((its.by_pipe ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) == 0);
      from[i] = ends[0], to[i] = ends[1];
    }
    std::atomic<int> moving{0};
    std::atomic<bool> began{false};
    team([&](int me) {
      const auto pair = static_cast<std::size_t>(me / 2);
      if (me >= members / 4 * 2) return others(moving, began);
      if (me % 2 == 0) ++moving;
      began = true;
      if ((me % 2 == 0) == its.receives) {
        if (its.receives) {
          std::vector<unsigned char> all(size);
          errno = 0;
          const ssize_t count = its.move(from[pair], all);
          if (count != static_cast<ssize_t>(size)) std::fprintf(stderr, "%s: %zd, %s\n", its.name, count, std::strerror(errno));
          CHECK(count == static_cast<ssize_t>(size) && all == bytes_of(me / 2));
        } else {
          read_slowly(from[pair], me / 2);
        }
      } else if (its.receives) {
        write_slowly(to[pair], me / 2);
      } else {
        std::vector<unsigned char> all = bytes_of(me / 2);
        errno = 0;
        const ssize_t count = its.move(to[pair], all);
        if (count != static_cast<ssize_t>(size)) {
          std::fprintf(stderr, "%s: %zd, %s\n", its.name, count, std::strerror(errno));
          shutdown(to[pair], SHUT_WR);
          close(to[pair]);
          to[pair] = -1;
        }
        CHECK(count == static_cast<ssize_t>(size));
      }
      if (me % 2 == 0) --moving;
    });
    for (std::size_t i = 0; i < to.size(); ++i) {
      close(from[i]);
      if (to[i] >= 0) close(to[i]);
    }
  }
}

void others_compute() {
  pairs_move([](std::atomic<int>& moving, std::atomic<bool>& began) {
    while (!began || moving > 0) compute(0.001);
  });
}
void others_have_ended() {
  pairs_move([](std::atomic<int>&, std::atomic<bool>&) {});
}

void random_bytes() {
  team([](int) {
    std::vector<unsigned char> its(4 * size);
    for (int i = 0; i < 2; ++i) {
      CHECK(getrandom(its.data(), its.size(), 0) == static_cast<ssize_t>(its.size()));
      meet();
    }
  });
}

}  // namespace

int main() {
  signal(SIGPIPE, SIG_IGN);
  subject("others compute", others_compute, 20);
  subject("others have ended", others_have_ended, 20);
  subject("random bytes", random_bytes);
  return verdict();
}
