#include "threads/polling/decoder.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <sys/uio.h>

#include "system/filter.hpp"

namespace weir::threads {

namespace {

/// What follows an opcode [Intel SDM, 2 appendix A: opcode maps; AMD64 APM, 3 appendix A].
enum operands : std::uint8_t {
  none,     // nothing
  m,        // ModRM, and what that asks for
  b,        // one byte
  w,        // two bytes
  z,        // two or four, by the operands' width
  mb,       // ModRM and one byte
  mz,       // ModRM and as z
  unknown,  // no instruction of 64-bit programs, or a prefix, or it depends on more
};
constexpr operands N = none, M = m, B = b, Z = z, U = unknown;

// What U stands for is decided by name, or not known.
// clang-format off: a row for sixteen
constexpr operands one_byte[256] = {
    M, M, M, M, B, Z, U, U, M, M, M, M, B, Z, U, U,  // 00
    M, M, M, M, B, Z, U, U, M, M, M, M, B, Z, U, U,  // 10
    M, M, M, M, B, Z, U, U, M, M, M, M, B, Z, U, U,  // 20
    M, M, M, M, B, Z, U, U, M, M, M, M, B, Z, U, U,  // 30
    U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U,  // 40: REX
    N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,  // 50
    U, U, U, M, U, U, U, U, Z, mz, B, mb, N, N, N, N,  // 60
    B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B,  // 70
    mb, mz, U, mb, M, M, M, M, M, M, M, M, M, M, M, U,  // 80
    N, N, N, N, N, N, N, N, N, N, U, N, N, N, N, N,  // 90
    U, U, U, U, N, N, N, N, B, Z, N, N, N, N, N, N,  // a0
    B, B, B, B, B, B, B, B, U, U, U, U, U, U, U, U,  // b0
    mb, mb, w, N, U, U, mb, mz, U, N, w, N, N, B, U, N,  // c0
    M, M, M, M, U, U, U, N, M, M, M, M, M, M, M, M,  // d0
    B, B, B, B, B, B, B, B, U, U, U, B, N, N, N, N,  // e0
    U, N, U, U, N, N, U, U, N, N, N, N, N, N, M, M,  // f0
};
constexpr operands behind_0f[256] = {
    M, M, M, M, U, N, N, N, N, N, U, N, U, M, N, mb,  // 00
    M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  // 10
    U, U, U, U, U, U, U, U, M, M, M, M, M, M, M, M,  // 20
    N, N, N, N, N, N, U, N, U, U, U, U, U, U, U, U,  // 30
    M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  // 40
    M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  // 50
    M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  // 60
    mb, mb, mb, mb, M, M, M, N, U, U, U, U, M, M, M, M,  // 70
    U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U,  // 80: jumps
    M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  // 90
    N, N, N, M, mb, M, U, U, N, N, N, M, mb, M, M, M,  // a0
    M, M, M, M, M, M, M, M, M, M, mb, M, M, M, M, M,  // b0
    M, M, mb, M, mb, mb, mb, M, N, N, N, N, N, N, N, N,  // c0
    M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  // d0
    M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  // e0
    M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, U,  // f0
};
// clang-format on

class decoder {
 public:
  decoder(const unsigned char* code, std::size_t most)
      : begin_(code), end_(code + std::min<std::size_t>(most, longest)), next_(code) {}

  decoded decode() {
    std::uint8_t opcode = prefixes();
    if ((opcode & 0xf0) == 0x40) {
      is_wide_ = (opcode & 8) != 0;
      opcode = byte();
      if ((opcode & 0xf0) == 0x40) fails_ = true;
    }
    switch (opcode) {
      case 0x0f:
        two_bytes(byte());
        break;
      case 0x62:
        evex();
        break;
      case 0xc4: {
        const std::uint8_t map = byte() & 0x1f;
        byte();
        vex(map, byte());
        break;
      }
      case 0xc5:
        byte(), vex(1, byte());
        break;
      default:
        usual(opcode);
    }
    if (fails_) return {};
    its_.bytes = static_cast<unsigned>(next_ - begin_);
    return its_;
  }

 private:
  static constexpr unsigned longest = 15;

  std::uint8_t byte() {
    if (next_ != end_) return *next_++;
    fails_ = true;
    return 0;
  }
  void skip(unsigned bytes) {
    if (static_cast<std::size_t>(end_ - next_) < bytes)
      fails_ = true;
    else
      next_ += bytes;
  }
  std::uint8_t prefixes() {
    for (;;) {
      const std::uint8_t value = byte();
      switch (value) {
        case 0x66:
          is_narrow_ = true;
          break;
        case 0x67:
          has_short_addresses_ = true;
          break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
        case 0xf0:
        case 0xf2:
        case 0xf3:
          break;
        default:
          return value;
      }
    }
  }
  unsigned z_bytes() const { return is_narrow_ && !is_wide_ ? 2 : 4; }
  /// Returns the field that tells instructions of one opcode apart.
  unsigned modrm() {
    const std::uint8_t fields = byte();
    const unsigned mode = fields >> 6;
    if (mode == 3) return fields >> 3 & 7u;
    bool is_far = mode == 2;
    if ((fields & 7) == 4)
      is_far |= (byte() & 7) == 5 && mode == 0;
    else
      is_far |= (fields & 7) == 5 && mode == 0;
    skip(is_far ? 4 : mode == 1 ? 1 : 0);
    return fields >> 3 & 7u;
  }
  unsigned follow(operands what) {
    unsigned which = 0;
    if (what == m || what == mb || what == mz) which = modrm();
    if (what == b || what == mb) skip(1);
    if (what == w) skip(2);
    if (what == z || what == mz) skip(z_bytes());
    fails_ |= what == unknown;
    return which;
  }
  /// By this many bytes, which processors of AMD and Intel count alike.
  void jump(unsigned bytes, bool goes_on) {
    its_.jumps = true;
    its_.goes_on = goes_on;
    const unsigned char* const from = next_;
    skip(bytes);
    if (bytes != 1 && is_narrow_ && !is_wide_) fails_ = true;
    if (fails_) return;
    if (bytes == 1)
      its_.distance = static_cast<std::int8_t>(*from);
    else
      std::memcpy(&its_.distance, from, 4);
  }

  void usual(std::uint8_t opcode) {
    if ((opcode & 0xf0) == 0x70 || (opcode >= 0xe0 && opcode <= 0xe3)) return jump(1, true);
    if ((opcode & 0xf8) == 0xb8) return skip(is_wide_ ? 8 : z_bytes());
    switch (opcode) {
      case 0x8f:
        if (modrm() != 0) fails_ = true;
        break;
      case 0xa0:
      case 0xa1:
      case 0xa2:
      case 0xa3:
        skip(has_short_addresses_ ? 4 : 8);
        break;
      case 0xc8:
        skip(3);
        break;
      case 0xe8:  // the place that it calls is of no interest
        jump(4, true);
        its_.jumps = false;
        break;
      case 0xe9:
        jump(4, false);
        break;
      case 0xeb:
        jump(1, false);
        break;
      case 0xf6:
      case 0xf7:
        if (modrm() < 2) skip(opcode == 0xf6 ? 1 : z_bytes());
        break;
      case 0xff: {
        const unsigned which = modrm();
        its_.goes_on = which != 4 && which != 5;
        break;
      }
      case 0xc2:
      case 0xc3:
      case 0xca:
      case 0xcb:
      case 0xcc:
      case 0xcd:
      case 0xcf:
      case 0xf1:
      case 0xf4:
        its_.goes_on = false;
        [[fallthrough]];
      default:
        follow(one_byte[opcode]);
    }
  }
  void two_bytes(std::uint8_t opcode) {
    if ((opcode & 0xf0) == 0x80) return jump(4, true);
    if (opcode == 0x38 || opcode == 0x3a) {
      byte();
      follow(opcode == 0x38 ? m : mb);
      return;
    }
    its_.goes_on = opcode != 0x0b;
    follow(behind_0f[opcode]);
  }
  /// The maps of opcodes behind 0F, 0F38, 0F3A, and those of 16-bit floating point.
  void vex(unsigned map, std::uint8_t opcode) {
    const bool has_byte = map == 3 || (map == 1 && behind_0f[opcode] == mb);
    if (map == 0 || map == 4 || map > 6) fails_ = true;
    follow(map == 1 && opcode == 0x77 ? none : has_byte ? mb : m);
  }
  void evex() {
    const std::uint8_t map = byte() & 7;
    skip(2);
    vex(map, byte());
  }

  const unsigned char *const begin_, *const end_, *next_;
  decoded its_;
  bool is_narrow_ = false, is_wide_ = false, has_short_addresses_ = false, fails_ = false;
};

constexpr std::uintptr_t page_bytes = 4096;

/// The code around a place.
class excerpt {
 public:
  explicit excerpt(std::uintptr_t around) : first_(around - reach), last_(around + reach) {
    if (read()) return;
    // The next page may not be readable, nor the one before.
    first_ = std::max(first_, around / page_bytes * page_bytes);
    last_ = std::min(last_, (around / page_bytes + 1) * page_bytes);
    if (!read()) last_ = first_;
  }
  decoded at(std::uintptr_t code) const {
    return code >= first_ && code < last_ ? decode(text_ + (code - first_), last_ - code) : decoded{};
  }

 private:
  static constexpr std::uintptr_t reach = 256;
  bool read() {
    const iovec to{text_, last_ - first_}, from{reinterpret_cast<void*>(first_), last_ - first_};
    const long read = filter::call<SYS_process_vm_readv>(getpid(), as_argument(&to), 1, as_argument(&from), 1);
    return read == static_cast<long>(last_ - first_);
  }
  std::uintptr_t first_, last_;
  unsigned char text_[2 * reach];
};

}  // namespace

decoded decode(const unsigned char* code, std::size_t most_bytes) { return decoder(code, most_bytes).decode(); }

bool begins_in_loop(std::uintptr_t at, std::uintptr_t code) {
  constexpr unsigned most_instructions = 64;
  const excerpt text(code);
  std::uintptr_t from[16] = {code};
  auto* last = from + 1;
  for (auto* each = from; each != last; ++each) {
    std::uintptr_t here = *each;
    for (unsigned n = 0; n < most_instructions; ++n) {
      if (here == at) return true;
      const decoded instruction = text.at(here);
      if (instruction.bytes == 0) break;
      const std::uintptr_t next = here + instruction.bytes,
                           to = next + static_cast<std::uintptr_t>(std::intptr_t{instruction.distance});
      if (here < at && next > at) return false;  // it lies within this one
      if (instruction.jumps && last != std::end(from) && std::find(from, last, to) == last) *last++ = to;
      if (!instruction.goes_on) break;
      here = next;
    }
  }
  return false;
}

}  // namespace weir::threads
