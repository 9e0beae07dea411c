/* A library: where a program has Weir's code in its own file, its threads are not called in there. Polls until one of the two
   words has its value. */
void poll_until(const unsigned *one, unsigned value, const unsigned *other, unsigned others) {
  while (__atomic_load_n(one, __ATOMIC_RELAXED) != value && __atomic_load_n(other, __ATOMIC_RELAXED) != others) {
  }
}
