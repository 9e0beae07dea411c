#include "threads/polling/interpreter.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <span>

#include "threads/polling/seen_memory.hpp"
#include "threads/polling/trampolines.hpp"

namespace weir::threads {

#if defined(__x86_64__)

namespace {

// EFLAGS [Intel SDM, 1 3.4.3].
constexpr std::uint64_t carry = 1, parity = 4, adjust = 16, zero = 64, sign = 128, overflow = 2048;
constexpr std::uint64_t arithmetic = arithmetic_flags;
static_assert(arithmetic == (carry | parity | adjust | zero | sign | overflow));

struct width {
  unsigned bytes;
  std::uint64_t mask() const { return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1; }
  std::uint64_t top() const { return std::uint64_t{1} << (8 * bytes - 1); }
};

/// One instruction [Intel SDM, 2 2.1 and its opcode maps].
class instruction {
 public:
  instruction(registers& state, seen_memory& memory, std::span<const std::uint8_t> text, usage* used)
      : next_(state), memory_(memory), text_(text), used_(used) {}
  bool execute() {
    const registers before = next_;
    prefixes();
    if (operation() && !has_failed_ && !writes_stack_pointer_) [[likely]] return true;
    next_ = before;
    return false;
  }

 private:
  // ---- decoding

  std::uint8_t byte() {
    if (read_ == text_.size()) {
      has_failed_ = true;
      return 0;
    }
    ++next_.code;
    return text_[read_++];
  }
  std::int64_t immediate(unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{byte()} << 8 * i;
    return bytes == 8 ? static_cast<std::int64_t>(value)
                      : static_cast<std::int64_t>(value << (64 - 8 * bytes)) >> (64 - 8 * bytes);
  }
  /// Of up to four bytes, though the operand may be wider.
  std::uint64_t immediate_for(width w) { return static_cast<std::uint64_t>(immediate(w.bytes < 4 ? w.bytes : 4)); }

  void prefixes() {
    for (unsigned i = 0; i < 4; ++i) {
      opcode_ = byte();
      if (opcode_ == 0x66)
        is_16_ = true;
      else if (opcode_ == 0xf3)
        repeats_ = true;
      else if (opcode_ == 0xf0)
        locks_ = true;
      else
        break;
    }
    if ((opcode_ & 0xf0) == 0x40) {
      rex_ = opcode_;
      opcode_ = byte();
    }
  }
  width usual() const { return {(rex_ & 8) != 0 ? 8u : is_16_ ? 2u : 4u}; }

  /// A register or a place in memory, and a register. `behind`: the bytes that follow it.
  void modrm(unsigned behind = 0) {
    const std::uint8_t fields = byte();
    reg_ = (fields >> 3 & 7u) | (rex_ & 4u) << 1;
    const unsigned mode = fields >> 6, low = fields & 7u;
    is_memory_ = mode != 3;
    rm_ = low | (rex_ & 1u) << 3;
    if (!is_memory_) return;
    std::uint64_t at = 0;
    bool by_code = false;
    if (low == 4) {
      const std::uint8_t sib = byte();
      const unsigned index = (sib >> 3 & 7u) | (rex_ & 2u) << 2, base = (sib & 7u) | (rex_ & 1u) << 3;
      is_on_stack_ = index == 4 && base == stack_pointer;
      if (index != 4) at += in_address(index) << (sib >> 6);
      if ((sib & 7) == 5 && mode == 0)
        at += static_cast<std::uint64_t>(immediate(4));
      else
        at += in_address(base);
    } else if (low == 5 && mode == 0) {
      by_code = true;
      if (used_ != nullptr) used_->distance_at = read_;
      at += static_cast<std::uint64_t>(immediate(4));
    } else {
      at += in_address(rm_);
    }
    if (mode == 1) at += static_cast<std::uint64_t>(immediate(1));
    if (mode == 2) at += static_cast<std::uint64_t>(immediate(4));
    at_ = by_code ? at + next_.code + behind : at;
  }

  // ---- operands

  std::uint64_t read(unsigned which) {
    const std::uint32_t bit = 1u << which;
    if (used_ != nullptr && (used_->written & bit) == 0) used_->read_first |= bit;
    return next_.general[which];
  }
  std::uint64_t in_address(unsigned which) {
    if (used_ != nullptr) used_->in_address |= 1u << which;
    return read(which);
  }
  void write(unsigned which, std::uint64_t to, width w, bool counts = false) {
    if (which == stack_pointer) {  // nobody polls so, and a trampoline could not give it back
      writes_stack_pointer_ = true;
      return;
    }
    if (w.bytes < 4) to = (read(which) & ~w.mask()) | (to & w.mask());
    next_.general[which] = w.bytes == 4 ? to & w.mask() : to;  // the upper half becomes zero
    if (used_ == nullptr) return;
    used_->written |= 1u << which;
    if (!counts) used_->changed |= 1u << which;
  }
  /// Without REX, the second registers of one byte are the second bytes of others.
  bool is_plain(unsigned which, width w) const { return w.bytes != 1 || rex_ != 0 || which < 4; }
  bool known_operands(width w) const { return is_plain(reg_, w) && (is_memory_ || is_plain(rm_, w)); }
  std::uint64_t loaded(width w) {
    std::uint64_t value = 0;
    has_failed_ |= !memory_.read(at_, w.bytes, value);
    return value;
  }
  std::uint64_t operand(width w) {
    if (!is_memory_) return read(rm_) & w.mask();
    if (used_ != nullptr) ++used_->loads;
    return loaded(w);
  }

  // ---- flags

  void flags(std::uint64_t to) {
    next_.flags = (next_.flags & ~sets_) | (to & sets_);
    if (used_ != nullptr) used_->flags_written |= sets_;
  }
  static std::uint64_t of_result(std::uint64_t result, width w) {
    return ((result & w.mask()) == 0 ? zero : 0) | ((result & w.top()) != 0 ? sign : 0) |
           (std::popcount(result & 255) % 2 == 0 ? parity : 0);
  }
  bool holds(unsigned condition) {
    constexpr std::uint64_t reads[] = {
        overflow, carry, zero, carry | zero, sign, parity, sign | overflow, zero | sign | overflow};
    if (used_ != nullptr && (reads[condition >> 1] & ~used_->flags_written) != 0) used_->flags_read_first = true;
    const std::uint64_t f = next_.flags;
    const bool less = ((f & sign) != 0) != ((f & overflow) != 0);
    bool is_met = false;
    switch (condition >> 1) {
      case 0: is_met = (f & overflow) != 0; break;
      case 1: is_met = (f & carry) != 0; break;
      case 2: is_met = (f & zero) != 0; break;
      case 3: is_met = (f & (carry | zero)) != 0; break;
      case 4: is_met = (f & sign) != 0; break;
      case 5: is_met = (f & parity) != 0; break;
      case 6: is_met = less; break;
      default: is_met = less || (f & zero) != 0; break;
    }
    return is_met != ((condition & 1) != 0);
  }

  // ---- operations

  enum class alu { add, or_, adc, sbb, and_, sub, xor_, cmp };

  /// False: one that uses the carry.
  bool computed(alu how, std::uint64_t a, std::uint64_t b, width w, std::uint64_t& result) {
    a &= w.mask(), b &= w.mask();
    std::uint64_t set = 0;
    switch (how) {
      case alu::add:
        result = (a + b) & w.mask();
        set = (result < a ? carry : 0) | ((~(a ^ b) & (a ^ result) & w.top()) != 0 ? overflow : 0) | ((a ^ b ^ result) & adjust);
        break;
      case alu::sub:
      case alu::cmp:
        result = (a - b) & w.mask();
        set = (a < b ? carry : 0) | (((a ^ b) & (a ^ result) & w.top()) != 0 ? overflow : 0) | ((a ^ b ^ result) & adjust);
        break;
      case alu::or_: result = a | b; break;
      case alu::and_: result = a & b; break;
      case alu::xor_: result = a ^ b; break;
      default: return false;
    }
    flags(set | of_result(result, w));
    return true;
  }
  /// To a register.
  bool compute(alu how, unsigned to, std::uint64_t b, width w, bool by_constant) {
    std::uint64_t result = 0;
    if (!computed(how, read(to), b, w, result)) return false;
    if (how != alu::cmp) write(to, result, w, by_constant && (how == alu::add || how == alu::sub));
    return true;
  }
  bool compare_memory(alu how, std::uint64_t b, width w) {
    std::uint64_t ignored = 0;
    return how == alu::cmp && computed(how, operand(w), b, w, ignored);
  }
  void test(std::uint64_t a, std::uint64_t b, width w) { flags(of_result(a & b & w.mask(), w)); }

  /// With a size of 16 bits, AMD's processors jump to such an address, and Intel's ignore the prefix.
  bool jump(bool taken, std::int64_t distance) {
    if (is_16_) return false;
    if (used_ != nullptr) used_->jumps = true;
    if (taken) next_.code += static_cast<std::uint64_t>(distance);
    return true;
  }

  /// A trampoline stands for the instruction in whose place it is.
  bool jump_far() {
    const auto by = immediate(4);
    const replaced original = replaced_by(next_.code + static_cast<std::uint64_t>(by));
    if (original.bytes == 0 || is_16_) return jump(true, by);
    next_.code = original.at;
    return instruction(next_, memory_, std::span(original.text).first(original.bytes), used_).execute();
  }

  bool operation() {
    const unsigned op = opcode_;
    if (locks_) return fence(op);
    if (op == 0x0f) return second_map();
    if (op == 0x90) return (rex_ & 1) == 0;  // nop, pause
    if (repeats_) return false;
    if (op < 0x40) return of_table(static_cast<alu>(op >> 3), op & 7);
    if (op >= 0xb8 && op <= 0xbf) {
      const width w = usual();
      write((op & 7) | (rex_ & 1u) << 3, static_cast<std::uint64_t>(immediate(w.bytes)), w);
      return true;
    }
    if (op >= 0x70 && op <= 0x7f) return jump_if(op & 15, 1);
    switch (op) {
      case 0xeb: { const auto by = immediate(1); return jump(true, by); }
      case 0xe9: return jump_far();
      case 0x63: return modrm(), (rex_ & 8) != 0 && load({4}, true, {8});
      case 0x80: case 0x81: case 0x83: return by_immediate(op);
      case 0x84: case 0x85: return test_operands({op == 0x84 ? 1 : usual().bytes});
      case 0x89: return modrm(), !is_memory_ && (write(rm_, read(reg_), usual()), true);
      case 0x8a: return modrm(), known_operands({1}) && load({1}, false, {1});
      case 0x8b: return modrm(), load(usual(), false, usual());
      case 0x8d: return address();
      case 0xa8: return test(read(0), static_cast<std::uint64_t>(immediate(1)), {1}), true;
      case 0xa9: { const auto b = immediate_for(usual()); return test(read(0), b, usual()), true; }
      case 0xc1: case 0xd1: return shift(op == 0xd1);
      case 0xc7: return move_immediate();
      case 0xf6: case 0xf7: return test_immediate({op == 0xf6 ? 1 : usual().bytes});
      case 0xff: return count();
      default: return false;
    }
  }
  bool second_map() {
    const unsigned op = byte();
    if (repeats_ != (op == 0x1e)) return false;
    if (op >= 0x80 && op <= 0x8f) return jump_if(op & 15, 4);
    switch (op) {
      case 0x1f: return used_ = nullptr, modrm(), true;  // a nop has operands, but does not use them
      case 0x1e: return byte() == 0xfa;  // endbr64
      case 0x31: return read_time(), true;
      case 0x01: return byte() == 0xf9 && (read_time(), write(1, 0, {4}), true);  // the processor's number is not told
      case 0xae: {  // fences
        const unsigned which = byte();
        return !is_16_ && (which == 0xe8 || which == 0xf0 || which == 0xf8);
      }
      case 0xb6: case 0xb7: case 0xbe: case 0xbf: {
        const width from{(op & 1) != 0 ? 2u : 1u};
        modrm();
        return (is_memory_ || is_plain(rm_, from)) && load(from, op >= 0xbe, usual());
      }
      default: return false;
    }
  }

  /// `lock or` and `lock add` of nothing to the top of the stack: how compilers fence where `mfence` is slower. The stack is the
  /// body's own, so nobody else sees that nothing is written.
  bool fence(unsigned op) {
    if (repeats_ || is_16_ || (op != 0x80 && op != 0x81 && op != 0x83)) return false;
    const width w{op == 0x80 ? 1 : usual().bytes};
    modrm();
    const auto how = static_cast<alu>(reg_ & 7);
    if (!is_memory_ || !is_on_stack_ || (how != alu::or_ && how != alu::add)) return false;
    const std::uint64_t b = op == 0x81 ? immediate_for(w) : static_cast<std::uint64_t>(immediate(1));
    if (b != 0) return false;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // as the instruction does
    std::uint64_t ignored = 0;
    return computed(how, loaded(w), 0, w, ignored);
  }

  bool jump_if(unsigned condition, unsigned bytes) {
    const auto distance = immediate(bytes);
    return jump(holds(condition), distance);
  }
  bool load(width from, bool with_sign, width to) {
    std::uint64_t value = operand(from);
    if (with_sign && (value & from.top()) != 0) value |= ~from.mask();
    write(reg_, value & to.mask(), to);
    return true;
  }
  /// The eight operations of two operands, by how they are given.
  bool of_table(alu how, unsigned form) {
    if (form > 5) return false;
    const width w{(form & 1) == 0 ? 1 : usual().bytes};
    if (form >= 4) {
      const std::uint64_t b = immediate_for(w);
      return compute(how, 0, b, w, true);
    }
    modrm();
    if (!known_operands(w)) return false;
    if (form >= 2) return compute(how, reg_, operand(w), w, false);
    return is_memory_ ? compare_memory(how, read(reg_), w) : compute(how, rm_, read(reg_), w, false);
  }
  bool by_immediate(unsigned op) {
    const width w{op == 0x80 ? 1 : usual().bytes};
    modrm(op == 0x81 ? (w.bytes < 4 ? w.bytes : 4) : 1);
    const auto how = static_cast<alu>(reg_ & 7);
    const std::uint64_t b = op == 0x81 ? immediate_for(w) : static_cast<std::uint64_t>(immediate(1));
    if (is_memory_) return compare_memory(how, b, w);
    return is_plain(rm_, w) && compute(how, rm_, b, w, true);
  }
  bool test_operands(width w) {
    modrm();
    if (!known_operands(w)) return false;
    test(operand(w), read(reg_), w);
    return true;
  }
  bool test_immediate(width w) {
    modrm(w.bytes < 4 ? w.bytes : 4);
    if ((reg_ & 7) != 0 || (!is_memory_ && !is_plain(rm_, w))) return false;
    const std::uint64_t b = immediate_for(w);
    test(operand(w), b, w);
    return true;
  }
  bool address() {
    modrm();
    if (!is_memory_) return false;
    // It may count, but it may also compute.
    write(reg_, at_, usual());
    return true;
  }
  bool move_immediate() {
    modrm();
    if (is_memory_ || (reg_ & 7) != 0) return false;
    write(rm_, immediate_for(usual()), usual());
    return true;
  }
  bool count() {
    modrm();
    if (is_memory_ || (reg_ & 7) > 1) return false;
    sets_ = arithmetic & ~carry;
    return compute((reg_ & 7) == 0 ? alu::add : alu::sub, rm_, 1, usual(), true);
  }
  bool shift(bool by_one) {
    modrm(by_one ? 0 : 1);
    const width w = usual();
    const unsigned how = reg_ & 7, by = by_one ? 1 : static_cast<unsigned>(byte()) % (w.bytes == 8 ? 64 : 32);
    if (is_memory_ || (how != 4 && how != 5) || by == 0 || by >= 8 * w.bytes) return false;
    const std::uint64_t a = read(rm_) & w.mask();
    const std::uint64_t result = (how == 4 ? a << by : a >> by) & w.mask();
    const bool out = how == 4 ? (a >> (8 * w.bytes - by) & 1) != 0 : (a >> (by - 1) & 1) != 0;
    const bool changes = how == 4 ? ((result & w.top()) != 0) != out : (a & w.top()) != 0;
    flags((out ? carry : 0) | (by == 1 && changes ? overflow : 0) | of_result(result, w));
    write(rm_, result, w);
    return true;
  }
  void read_time() {
    std::uint32_t low = 0, high = 0;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    write(0, low, {4});
    write(2, high, {4});
  }

  static constexpr unsigned stack_pointer = 4;

  registers& next_;
  seen_memory& memory_;
  const std::span<const std::uint8_t> text_;  // of the instruction, and what follows
  usage* used_;
  unsigned read_ = 0;  // bytes of the text
  bool has_failed_ = false;  // the program's own instruction, or its load, would fault
  unsigned opcode_ = 0, rex_ = 0;
  bool is_16_ = false, repeats_ = false, locks_ = false, is_memory_ = false, is_on_stack_ = false, writes_stack_pointer_ = false;
  unsigned reg_ = 0, rm_ = 0;
  std::uintptr_t at_ = 0;
  std::uint64_t sets_ = arithmetic;  // the flags that the operation sets
};

}  // namespace

bool execute(registers& state, seen_memory& memory, usage* used) {
  const auto text = memory.code_at(state.code);
  return instruction(state, memory, text.first(std::min<std::size_t>(text.size(), seen_memory::longest)), used).execute();
}

#else

bool execute(registers&, seen_memory&, usage*) { return false; }

#endif

}  // namespace weir::threads
