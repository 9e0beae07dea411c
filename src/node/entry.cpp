#include "node/entry.hpp"

#include <algorithm>
#include <cstring>

namespace weir::node {

namespace {

constexpr char magic[8] = {'w', 'e', 'i', 'r', 'n', 'o', 'd', 'e'};

/// FNV-1a. It is to find what is half written, not what is forged.
std::uint64_t check_of(const entry& e) {
  unsigned char bytes[offsetof(entry, check)];
  std::memcpy(bytes, &e, sizeof bytes);
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const unsigned char b : bytes) sum = (sum ^ b) * 0x100000001b3;
  return sum;
}

/// A name is shown on terminals.
char printable(char c) { return c >= ' ' && c <= '~' ? c : '?'; }

}  // namespace

entry to_entry(const program& p) {
  entry e{};
  std::memcpy(e.magic, magic, sizeof magic);
  e.version = entry::this_version;
  e.bytes = sizeof e;
  e.process = p.process;
  e.joined = p.joined;
  e.seen = p.seen;
  e.weight = p.asks.weight;
  e.wants = p.asks.wants;
  e.is_busy = p.is_busy ? 1 : 0;
  e.may_use = p.asks.may_use;
  e.holds = p.asks.holds;
  std::memcpy(e.name, p.name.data(), std::min(p.name.size(), sizeof e.name - 1));
  e.check = check_of(e);
  return e;
}

bool begins_as_entry(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof magic && std::memcmp(bytes.data(), magic, sizeof magic) == 0;
}

std::optional<program> from_bytes(std::span<const std::byte> bytes) {
  entry e;
  if (bytes.size() != sizeof e) return std::nullopt;
  std::memcpy(&e, bytes.data(), sizeof e);
  if (std::memcmp(e.magic, magic, sizeof magic) != 0 || e.version != entry::this_version || e.bytes != sizeof e)
    return std::nullopt;
  if (e.check != check_of(e) || e.weight < 1 || e.weight > most_weight || e.wants < 1 || e.wants > processor_set::most ||
      e.is_busy > 1)
    return std::nullopt;
  program p{.asks = {.weight = e.weight, .wants = e.wants, .may_use = e.may_use, .holds = e.holds},
            .is_busy = e.is_busy == 1,
            .process = e.process,
            .joined = e.joined,
            .seen = e.seen,
            .name = std::string(e.name, strnlen(e.name, sizeof e.name))};
  std::ranges::transform(p.name, p.name.begin(), printable);
  return p;
}

}  // namespace weir::node
