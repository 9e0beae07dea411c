// Messages: the monitor stops a thread by a signal, and the thread answers in the handler.
//
//      sender (messages.cpp)                              handler there       answer
//
//      monitor.cpp        tick -----------.            .- answer_tick()            messages.cpp: yields if the body spins
//      deprivation.cpp    tick -----------|            |
//                         poll_question --+-> signal ->+- answer_poll_question()   attach_requests.cpp: notes whether it polls
//      attach_requests    poll_question --|            |
//            .cpp         attach_request -'            '- answer_attach_request()  attach_requests.cpp: takes a seat
//
// There are two kinds of recipients: the body that runs on a processor, and a detached body. The signal must end no system call
// early, so it goes only to a thread that computes. But such a thread may just be about to make a call. Therefore the sender
// announces the signal, and the functions of the C library that block announce the call (calls/calls.cpp), each with a fence
// between the announcement and the look at the other one's:
//
//      sender:  claims the queue, or sets is_asked;  fence everywhere;  calls?  if not: signal;  fence everywhere;  ends it
//      thread:  calling + 1;                         (for the compiler) is it announced?  then it waits until that ends
//
// After the first fence no call begins until the announcement ends. The second makes those that run handle the signal; the others
// handle it before they run on. Each serves all recipients.
//
// The signal is SIGURG, which programs hardly use, and which is ignored if nobody handles it. The handler does nothing to a body
// that is in a handler of the program, on an alternate stack, or under a signal mask that is not its own.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ucontext.h>

namespace weir::threads {

struct body;
class processor;

inline constexpr int message_signal = SIGURG;

enum class message : int {
  tick,           // does the body that runs on this processor spin? Then it yields
  poll_question,  // does this detached thread poll?
  attach_request  // this detached thread shall take its seat
};

/// Detached bodies that are to get a message. More than `most` get none.
class detached_recipients {
 public:
  static constexpr std::size_t most = 64;
  void add(body& b) {
    if (count_ != most) bodies_[count_++] = &b;
  }
  std::span<body* const> get() const { return {bodies_.data(), count_}; }

 private:
  std::array<body*, most> bodies_;
  std::size_t count_ = 0;
};

/// For a claimant: in the lifetime of this object the handler is installed.
class message_sender {
 public:
  message_sender();
  message_sender(const message_sender&) = delete;
  ~message_sender();
  /// False: the program handles the signal itself.
  explicit operator bool() const { return is_installed_; }
  /// A tick for the bodies that run on these processors, but for those that are in the system or block the signal.
  void tick(std::span<processor* const> processors) const;
  /// The same for detached bodies, with this message.
  void ask(message what, std::span<body* const> bodies) const;

 private:
  const bool holds_, is_installed_;
};

/// In an answer, before another body runs on this kernel thread, or the thread is parked: until then the handler blocks all
/// signals, but the mask shall be the body's. The code that was interrupted is not the C library's, so its signal for
/// cancellation does no harm now.
void let_signals_in(const ucontext_t& in);

/// Is this the handler's code?
bool is_message_handler(std::uintptr_t code);
/// Is an alternate stack of the program's large enough for the handler to begin there? If one is not, it begins on no such stacks
/// any more.
bool has_room_for_message(std::size_t bytes);
void leave_alternate_stacks_alone();

/// During the lifetime of this object the program's own setting for the signal is in force, and no message is sent or pending: so
/// the program may query the handler of the signal, and change it. For other signals it does nothing. Async-signal-safe.
class without_message_handler {
 public:
  explicit without_message_handler(int number);
  without_message_handler(const without_message_handler&) = delete;
  ~without_message_handler();
  /// The caller is the code that sends messages.
  bool is_for_sender() const { return is_of_messages_ && !holds_; }

 private:
  const bool is_of_messages_, holds_;
};
/// For the child of a fork, in which the holder does not exist.
void forget_message_handler();

}  // namespace weir::threads
