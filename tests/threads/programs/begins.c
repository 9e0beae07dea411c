/* A library with the function of a thread. */
void* begin(void* goes_on);
void* begin(void* goes_on) {
  int (*function)(void);
  *(void**)&function = goes_on; /* as POSIX has it for dlsym() */
  while (function()) {
  }
  return 0;
}
