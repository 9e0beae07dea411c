// Files, pipes and sockets: what goes in comes out, and none is moved in part.
#include "member.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

namespace {

using bytes = std::vector<unsigned char>;

bytes some_bytes(std::size_t size) {
  bytes content(size);
  unsigned x = draw(1u << 30);
  for (unsigned char& byte : content) byte = static_cast<unsigned char>((x = x * 1664525 + 1013904223) >> 24);
  return content;
}
unsigned sum(const bytes& content) {
  unsigned result = 0;
  for (const unsigned char byte : content) result = result * 31 + byte;
  return result;
}

void write_and_read_a_file() {
  const int file = memfd_create("weir", 0);
  const bytes out = some_bytes(1 + draw(20'000));
  say_result("write", write(file, out.data(), out.size()));
  say_result("lseek", lseek(file, static_cast<off_t>(draw(100)), SEEK_SET));
  bytes in(out.size() + 10);
  const ssize_t count = read(file, in.data(), in.size());
  say_result("read", count);
  in.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  say(" %08x", sum(in));
  say_result("ftruncate", ftruncate(file, static_cast<off_t>(draw(5000))));
  struct stat what {};
  say_result("fstat", fstat(file, &what));
  say(" %ld bytes", static_cast<long>(what.st_size));
  say_result("pread", pread(file, in.data(), std::min<std::size_t>(in.size(), 10), 4990));
  say_result("lseek", lseek(file, -1, SEEK_SET));
  say_result("close", close(file));
}

void fail_in_files() {
  char byte = 0;
  struct stat what {};
  say_result("open", open("/there/is/no/such/file", O_RDONLY));
  say_result("write", write(-1, &byte, 1));
  say_result("stat", stat("/proc/self/there-is-none", &what));
  say_result("read", read(-1, &byte, 1));
  say_result("mkdir", mkdir("/", 0700));
  FILE* const stream = std::fopen("/there/is/none", "r");
  say(" fopen %d %s", stream != nullptr, strerrorname_np(errno));
}

void use_a_stream() {
  FILE* const stream = std::tmpfile();
  if (stream == nullptr) return say(" no file");
  for (unsigned i = 0, count = draw(300); i < count; ++i) std::fprintf(stream, "%u %u\n", i, draw(1000));
  std::fflush(stream);
  std::rewind(stream);
  unsigned long total = 0, one = 0, other = 0;
  int lines = 0;
  for (; std::fscanf(stream, "%lu %lu", &one, &other) == 2; ++lines) total = total * 7 + other;
  say(" %d lines %lu", lines, total);
  std::fclose(stream);
}

/// Another thread at the other end, which takes or gives a part at a time.
struct other_end {
  int file;
  bytes what;
  std::size_t part;
};
void* take(void* given) {
  auto* const end = static_cast<other_end*>(given);
  for (std::size_t had = 0; had < end->what.size();) {
    const ssize_t count = read(end->file, end->what.data() + had, std::min(end->part, end->what.size() - had));
    if (count <= 0) break;
    had += static_cast<std::size_t>(count);
    if (had % 7 == 0) compute(0.0002);
  }
  return nullptr;
}
void* give(void* given) {
  auto* const end = static_cast<other_end*>(given);
  for (std::size_t done = 0; done < end->what.size();) {
    const ssize_t count = write(end->file, end->what.data() + done, std::min(end->part, end->what.size() - done));
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
    if (done % 3 == 0) compute(0.0002);
  }
  return nullptr;
}

void send_much() {
  int ends[2];
  const bool by_pipe = draw(2) == 0;
  if ((by_pipe ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) != 0) return say(" no ends");
  bytes out = some_bytes(100'000 + draw(400'000));
  other_end reader{ends[0], bytes(out.size()), 1000 + draw(30'000)};
  pthread_t thread;
  pthread_create(&thread, nullptr, take, &reader);
  if (draw(2) == 0) {
    say_result("write", write(ends[1], out.data(), out.size()));
  } else {
    iovec parts[2] = {{out.data(), out.size() / 2}, {out.data() + out.size() / 2, out.size() - out.size() / 2}};
    say_result("writev", writev(ends[1], parts, 2));
  }
  close(ends[1]);
  pthread_join(thread, nullptr);
  say(" %s", reader.what == out ? "arrived" : "is not what arrived");
  close(ends[0]);
}

void receive_much() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return say(" no sockets");
  other_end writer{ends[1], some_bytes(50'000 + draw(200'000)), 1000 + draw(30'000)};
  bytes in(writer.what.size());
  pthread_t thread;
  pthread_create(&thread, nullptr, give, &writer);
  say_result("recv", recv(ends[0], in.data(), in.size(), MSG_WAITALL));
  pthread_join(thread, nullptr);
  say(" %s", in == writer.what ? "arrived" : "is not what arrived");
  close(ends[0]);
  close(ends[1]);
}

void send_a_file() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return say(" no sockets");
  const int file = memfd_create("weir", 0);
  const bytes out = some_bytes(50'000 + draw(300'000));
  say_result("write", write(file, out.data(), out.size()));
  other_end reader{ends[0], bytes(out.size()), 5000};
  pthread_t thread;
  pthread_create(&thread, nullptr, take, &reader);
  off_t from = 0;
  say_result("sendfile", sendfile(ends[1], file, &from, out.size()));
  close(ends[1]);
  pthread_join(thread, nullptr);
  say(" %s", reader.what == out ? "arrived" : "is not what arrived");
  close(ends[0]);
  close(file);
}

void use_a_pipe() {
  int ends[2];
  if (pipe2(ends, O_NONBLOCK) != 0) return say(" no pipe");
  char in[64], out[64] = "what goes through a pipe";
  say_result("read", read(ends[0], in, sizeof in));
  say_result("write", write(ends[1], out, 1 + draw(60)));
  pollfd polled{ends[0], POLLIN, 0};
  say_result("poll", poll(&polled, 1, 1000));
  say(" events %x", static_cast<unsigned>(polled.revents));
  say_result("read", read(ends[0], in, 1 + draw(60)));
  close(ends[0]);
  close(ends[1]);
}

void use_sockets() {
  int ends[2];
  if (socketpair(AF_UNIX, draw(2) == 0 ? SOCK_STREAM : SOCK_SEQPACKET, 0, ends) != 0) return say(" no sockets");
  char in[64], out[64] = "what goes through a socket";
  say_result("send", send(ends[0], out, 1 + draw(60), 0));
  say_result("recv", recv(ends[1], in, sizeof in, MSG_PEEK));
  say_result("recv", recv(ends[1], in, sizeof in, 0));
  say_result("recv", recv(ends[1], in, sizeof in, MSG_DONTWAIT));
  say_result("shutdown", shutdown(ends[0], SHUT_WR));
  say_result("recv", recv(ends[1], in, sizeof in, 0));
  say_result("shutdown", shutdown(ends[1], SHUT_RDWR));  // another member's child may have a copy, so close() would not do
  say_result("send", send(ends[0], out, 1, MSG_NOSIGNAL));
  close(ends[0]);
  close(ends[1]);
}

void map_memory() {
  const std::size_t size = 4096 * (1 + draw(8));
  void* const mapping = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return say(" no memory");
  std::memset(mapping, static_cast<int>(draw(256)), size);
  say_result("mprotect", mprotect(mapping, 4096, PROT_NONE));
  say_result("mprotect", mprotect(static_cast<char*>(mapping) + 1, 4096, PROT_READ));
  say_result("munmap", munmap(mapping, size));
  bytes content;
  for (unsigned i = 0, count = draw(40); i < count; ++i)
    content.resize(content.size() + draw(3000), static_cast<unsigned char>(i));
  say(" %zu bytes %08x", content.size(), sum(content));
}

constexpr call rows[] = {
    {"file", 3, write_and_read_a_file}, {"no file", 2, fail_in_files}, {"stream", 1, use_a_stream}, {"send much", 1, send_much},
    {"receive much", 1, receive_much},  {"send a file", 1, send_a_file}, {"pipe", 3, use_a_pipe},   {"sockets", 2, use_sockets},
    {"memory", 2, map_memory},
};

}  // namespace

std::span<const call> calls_of_files() { return rows; }
