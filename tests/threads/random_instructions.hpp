// Encodings that the interpreter knows, drawn at random by their form, and registers by which their operands lie in given memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "threads/polling/interpreter.hpp"

using instruction_bytes = std::vector<std::uint8_t>;

inline instruction_bytes of_hex(const std::string& text) {
  std::istringstream in(text);
  instruction_bytes code;
  for (unsigned each; in >> std::hex >> each;) code.push_back(static_cast<std::uint8_t>(each));
  return code;
}
inline std::string as_hex(const instruction_bytes& code) {
  std::ostringstream out;
  for (const unsigned each : code) out << std::hex << each << ' ';
  return out.str();
}

enum class immediate { none, one, up_to_four, up_to_eight, distance };
/// Opcode, the operands with which it is executed rather than refused (r: registers, m: memory, x: it has no modrm), immediate.
struct form {
  instruction_bytes opcode;
  std::string operands;
  immediate behind = immediate::none;
};
inline std::vector<form> known_forms() {
  using enum immediate;
  std::vector<form> forms = {
      {{0x63}, "rm"}, {{0x80}, "rm", one}, {{0x81}, "rm", up_to_four}, {{0x83}, "rm", one}, {{0x84}, "rm"}, {{0x85}, "rm"},
      {{0x89}, "r"}, {{0x8a}, "rm"}, {{0x8b}, "rm"}, {{0x8d}, "m"}, {{0x90}, "x"}, {{0xa8}, "x", one}, {{0xa9}, "x", up_to_four},
      {{0xc1}, "r", one}, {{0xc7}, "r", up_to_four}, {{0xd1}, "r"}, {{0xe9}, "x", distance}, {{0xeb}, "x", one},
      {{0xf6}, "rm", one}, {{0xf7}, "rm", up_to_four}, {{0xff}, "r"}, {{0x0f, 0x01, 0xf9}, "x"}, {{0x0f, 0x1e, 0xfa}, "x"},
      {{0x0f, 0x1f}, "rm"}, {{0x0f, 0x31}, "x"}, {{0x0f, 0xae, 0xe8}, "x"}, {{0x0f, 0xae, 0xf0}, "x"}, {{0x0f, 0xae, 0xf8}, "x"},
      {{0x0f, 0xb6}, "rm"}, {{0x0f, 0xb7}, "rm"}, {{0x0f, 0xbe}, "rm"}, {{0x0f, 0xbf}, "rm"}};
  const auto add = [&](int opcode, const char* operands, immediate behind = none) {
    forms.push_back({{static_cast<std::uint8_t>(opcode)}, operands, behind});
  };
  for (const int first : {0x00, 0x08, 0x20, 0x28, 0x30, 0x38}) {  // add, or, and, sub, xor, cmp
    for (int i = 0; i < 4; ++i) add(first + i, i >= 2 || first == 0x38 ? "rm" : "r");
    add(first + 4, "x", one);
    add(first + 5, "x", up_to_four);
  }
  for (int i = 0; i < 8; ++i) add(0xb8 + i, "x", up_to_eight);
  for (int condition = 0; condition < 16; ++condition) {
    add(0x70 + condition, "x", one);
    forms.push_back({{0x0f, static_cast<std::uint8_t>(0x80 + condition)}, "x", distance});
  }
  return forms;
}

class random_instructions {
 public:
  using registers = weir::threads::registers;
  /// Other instructions by another number.
  explicit random_instructions(unsigned which = 0) : source_(2026 + which) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(source_() % n); }
  /// Often at an end of a type's range.
  std::uint64_t value() {
    constexpr std::uint64_t ends[] = {0, 0x7f, 0x7fff, 0x7fffffff, ~std::uint64_t{0} >> 1};
    const std::uint64_t any = source_();
    switch (below(3)) {
      case 0: return ends[below(5)] + below(3) - 1 + (below(4) == 0 ? any << 32 : 0);
      case 1: return any >> below(64);
      default: return any;
    }
  }
  registers state() {
    registers state;
    for (auto& each : state.general) each = value();
    if (below(4) == 0) state.general[below(16)] = state.general[below(16)];
    state.flags = (source_() & weir::threads::arithmetic_flags) | 2;
    return state;
  }

  struct instruction {
    instruction_bytes text;
    registers with;
    bool has_memory = false;
  };
  /// With random prefixes and operands, to be executed at `place`. Memory operands lie in data of that many bytes.
  instruction of(const form& chosen, std::uintptr_t place, std::uintptr_t data, unsigned data_bytes) {
    instruction made{{}, state()};
    instruction_bytes& text = made.text;
    made.with.code = place;
    const bool is_16 = below(4) == 0;
    if (is_16) text.push_back(0x66);
    if (below(8) == 0) text.insert(below(2) == 0 ? text.begin() : text.end(), 0xf3);
    const unsigned rex = below(2) == 0 ? 0 : 0x40 | below(16);
    if (rex != 0) append(text, rex, 1);
    text.insert(text.end(), chosen.opcode.begin(), chosen.opcode.end());

    const std::uint64_t operand = data + 16 + below(data_bytes - 32);
    std::size_t distance_by_code = 0;
    if (chosen.operands != "x") {
      const unsigned modrm = below(256);
      append(text, modrm, 1);
      made.has_memory = modrm >> 6 != 3;
      registers set = made.with;
      if (made.has_memory) distance_by_code = append_address(text, modrm >> 6, modrm & 7, rex, operand, set);
      const bool is_read = chosen.opcode[0] != 0x8d && chosen.opcode.back() != 0x1f;
      if (is_read || below(2) == 0) made.with = set;
    }
    const unsigned wide = (rex & 8) != 0 ? 8 : is_16 ? 2 : 4;
    switch (chosen.behind) {
      case immediate::none: break;
      case immediate::one: append(text, value(), 1); break;
      case immediate::up_to_four: append(text, value(), wide < 4 ? wide : 4); break;
      case immediate::up_to_eight: append(text, value(), wide); break;
      case immediate::distance: append(text, source_() % 60000 - 30000, 4); break;
    }
    const std::uint64_t distance = operand - (place + text.size());
    if (distance_by_code != 0) std::memcpy(&text[distance_by_code], &distance, 4);
    return made;
  }

 private:
  static void append(instruction_bytes& to, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) to.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  }
  /// Appends what follows modrm, and sets registers so that the operand lies there. Returns where a distance from the code lies,
  /// which is not known yet; 0: there is none.
  std::size_t append_address(instruction_bytes& text, unsigned mode, unsigned rm, unsigned rex, std::uint64_t operand,
                             registers& with) {
    constexpr unsigned none = 16;
    unsigned distance_bytes = mode == 1 ? 1 : mode == 2 ? 4 : 0;
    unsigned base = rm | (rex & 1) << 3, index = none, scale = 0;
    if (rm == 4) {
      const unsigned sib = below(256);
      append(text, sib, 1);
      scale = sib >> 6;
      base = (sib & 7) | (rex & 1) << 3;
      index = (sib >> 3 & 7) | (rex & 2) << 2;
      if (index == 4) index = none;
      if ((sib & 7) == 5 && mode == 0) base = none, distance_bytes = 4;
    } else if (rm == 5 && mode == 0) {
      append(text, 0, 4);
      return text.size() - 4;
    }
    std::uint64_t distance = 0;
    if (base == none && index == none)
      distance = operand;
    else if (distance_bytes != 0)
      distance = static_cast<std::uint64_t>(static_cast<std::int64_t>(source_()) >> (distance_bytes == 1 ? 57 : 43));
    append(text, distance, distance_bytes);
    if (base == none) {
      if (index != none) with.general[index] = (operand - distance) >> scale;
    } else if (index == base) {
      with.general[base] = (operand - distance) / ((1u << scale) + 1);
    } else {
      with.general[base] = operand - distance - (index == none ? 0 : with.general[index] << scale);
    }
    return 0;
  }

  std::mt19937_64 source_;
};
