// The hand-off: where a body blocks, or computes for a time slice, a stand-in runs the other bodies of its processor.
#pragma once

namespace weir::threads {

class processor;

/// The calling body is going to block in the system: the bodies of its processor that are ready go on at a stand-in at once.
void hand_off_to_block();

/// The same; in the lifetime of this object, bodies that become ready there later go on at a stand-in, too.
class blocking_call {
 public:
  explicit blocking_call(bool blocks) : at_(blocks ? begin() : nullptr) {}
  blocking_call(const blocking_call&) = delete;
  ~blocking_call() {
    if (at_ != nullptr) end(*at_);
  }

  /// The same for who cannot keep an object. Null: there is nothing to end.
  static processor* begin();
  static void end(processor& at);

 private:
  processor* const at_;
};

/// The calling thread's own body, which drives its processor, goes on as a thread of the kernel: a stand-in runs the others.
void give_away_own_processor();

}  // namespace weir::threads
