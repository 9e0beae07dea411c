// weir-transfers serve A B: how long a cache line takes from processor A to B, once for each line of standard input that is not
// "quit", as JSON. For programs that measure something else in between (docs/records.md).
#include <iostream>
#include <stdexcept>
#include <string>

#include "transfer_probe.hpp"

int main(int count, char** words) {
  int from = 0, to = 0;
  try {
    if (count != 4 || std::string(words[1]) != "serve") throw std::invalid_argument("");
    from = std::stoi(words[2]);
    to = std::stoi(words[3]);
  } catch (const std::exception&) {
    std::cerr << "usage: weir-transfers serve PROCESSOR PROCESSOR\n";
    return 2;
  }
  bench::transfer_probe probe(from, to);
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    const std::optional<double> found = probe.ns();
    std::cout << "{\"transfer_ns\":" << (found ? std::to_string(*found) : "null") << '}' << std::endl;
  }
}
