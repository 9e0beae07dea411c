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
  std::vector<unsigned char> content(size);
  for (std::size_t i = 0; i < size; ++i) content[i] = byte_of(i, by);
  return content;
}

/// Half a page to a page at a time, and computes in between: the writer waits for many times.
void read_slowly(int from, int by) {
  std::vector<unsigned char> content(4096);
  std::size_t had = 0;
  int wrong_ones = 0;
  while (had < size) {
    const ssize_t count = read(from, content.data(), content.size());
    if (count <= 0) break;
    const auto next = had + static_cast<std::size_t>(count);
    for (std::size_t i = had; i < next; ++i) wrong_ones += content[i - had] != byte_of(i, by);
    if (next / 65536 != had / 65536) compute(0.002);
    had = next;
  }
  CHECK(had == size && wrong_ones == 0);
}
void write_slowly(int to, int by) {
  const std::vector<unsigned char> content = bytes_of(by);
  for (std::size_t done = 0; done < size; done += 65536) {
    CHECK(write(to, content.data() + done, 65536) == 65536);
    compute(0.002);
  }
}

/// One call that moves all of it; how much it has moved.
struct way {
  const char* name;
  bool receives, by_pipe;
  ssize_t (*move)(int end, std::vector<unsigned char>& content);
};
const way ways[] = {
    {"write to a pipe", false, true,
     [](int to, std::vector<unsigned char>& content) { return write(to, content.data(), content.size()); }},
    {"writev to a pipe", false, true,
     [](int to, std::vector<unsigned char>& content) {
       iovec parts[16];
       for (std::size_t i = 0; i < 16; ++i) parts[i] = {content.data() + i * (size / 16), size / 16};
       return writev(to, parts, 16);
     }},
    {"write to a socket", false, false,
     [](int to, std::vector<unsigned char>& content) { return write(to, content.data(), content.size()); }},
    {"send", false, false,
     [](int to, std::vector<unsigned char>& content) { return send(to, content.data(), content.size(), 0); }},
    {"sendmsg", false, false,
     [](int to, std::vector<unsigned char>& content) {
       iovec parts[2] = {{content.data(), size / 2}, {content.data() + size / 2, size / 2}};
       msghdr message{};
       message.msg_iov = parts;
       message.msg_iovlen = 2;
       return sendmsg(to, &message, 0);
     }},
    {"sendfile", false, false,
     [](int to, std::vector<unsigned char>& content) {
       const int file = memfd_create("weir", 0);
       CHECK(write(file, content.data(), content.size()) == static_cast<ssize_t>(size));
       off_t from = 0;
       const ssize_t count = sendfile(to, file, &from, size);
       const int why = errno;
       close(file);
       errno = why;
       return count;
     }},
    {"recv with MSG_WAITALL", true, false,
     [](int from, std::vector<unsigned char>& content) { return recv(from, content.data(), content.size(), MSG_WAITALL); }},
    {"checked recv with MSG_WAITALL", true, false,
     [](int from, std::vector<unsigned char>& content) {
       return checked_recv(from, content.data(), content.size(), content.size(), MSG_WAITALL);
     }},
    {"recvmsg with MSG_WAITALL", true, false,
     [](int from, std::vector<unsigned char>& content) {
       iovec part{content.data(), content.size()};
       msghdr message{};
       message.msg_iov = &part;
       message.msg_iovlen = 1;
       return recvmsg(from, &message, MSG_WAITALL);
     }},
};

template <class Others>
void pairs_move(Others others) {
  std::vector<int> to(static_cast<std::size_t>(members)), from(static_cast<std::size_t>(members));
  for (const way& method : ways) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      int ends[2];
      CHECK((method.by_pipe ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) == 0);
      from[i] = ends[0], to[i] = ends[1];
    }
    std::atomic<int> moving{0};
    std::atomic<bool> began{false};
    team([&](int me) {
      const auto pair = static_cast<std::size_t>(me / 2);
      if (me >= members / 4 * 2) return others(moving, began);
      if (me % 2 == 0) ++moving;
      began = true;
      if ((me % 2 == 0) == method.receives) {
        if (method.receives) {
          std::vector<unsigned char> received(size);
          errno = 0;
          const ssize_t count = method.move(from[pair], received);
          if (count != static_cast<ssize_t>(size))
            std::fprintf(stderr, "%s: %zd, %s\n", method.name, count, std::strerror(errno));
          CHECK(count == static_cast<ssize_t>(size) && received == bytes_of(me / 2));
        } else {
          read_slowly(from[pair], me / 2);
        }
      } else if (method.receives) {
        write_slowly(to[pair], me / 2);
      } else {
        std::vector<unsigned char> written = bytes_of(me / 2);
        errno = 0;
        const ssize_t count = method.move(to[pair], written);
        if (count != static_cast<ssize_t>(size)) {
          std::fprintf(stderr, "%s: %zd, %s\n", method.name, count, std::strerror(errno));
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
    std::vector<unsigned char> content(4 * size);
    for (int i = 0; i < 2; ++i) {
      CHECK(getrandom(content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
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
