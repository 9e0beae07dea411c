// threadprivate objects: constructed for each thread at its first access, kept from region to region, copied by copyin.
#include "check.h"

#include <atomic>
#include <omp.h>
#include <string>

namespace {

std::atomic<int> made{0};

}  // namespace

struct value {
  int number;
  std::string text;
  value() : number(3), text("as it was made, and too long to lie in the object") { ++made; }
  value(const value&) = default;
  value& operator=(const value&) = default;
};

namespace {

struct holder {
  static int inside;
#pragma omp threadprivate(inside)
};
int holder::inside = 8;

}  // namespace

extern value own;  // GCC requires the directive before the definition
#pragma omp threadprivate(own)
value own;

int main() {
  omp_set_dynamic(0);
#pragma omp parallel
  {
    CHECK(own.number == 3 && own.text.starts_with("as it was") && holder::inside == 8);
    own.number = 10 + omp_get_thread_num();
    holder::inside += omp_get_thread_num();
  }
  CHECK(made == asked());
#pragma omp parallel
  CHECK(own.number == 10 + omp_get_thread_num() && holder::inside == 8 + omp_get_thread_num());
  own.text = "another text, and too long to lie in the object again";
#pragma omp parallel copyin(own)
  CHECK(own.text.starts_with("another") && own.number == 10);
  CHECK(made == asked());
  return verdict();
}
