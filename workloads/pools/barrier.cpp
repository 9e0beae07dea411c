// The command pool-barrier: threads that compute in phases and meet at std::barrier.
#include <barrier>

#include "pools/phases.hpp"

int main(int count, char** words) {
  return pools::phases<std::barrier<>>("pool-barrier", "pool-barrier: heat in plates, by threads that meet at std::barrier.",
                                       count, words);
}
