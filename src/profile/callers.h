/* Whose function a call was meant for. A process may hold several runtimes (Python packages bring their own), so each call
 * goes to the one that the dynamic linker would have taken for its caller. */
#ifndef WEIR_PROFILE_CALLERS_H
#define WEIR_PROFILE_CALLERS_H

#include "counts.h"

/* A word that an argument or a result fits in. */
typedef long word;
typedef word (*forwarded)(word, word, word, word, word, word, word, word, word, word, word);

struct target {
  forwarded call;
  const struct runtime *where; /* null: not counted here */
};

/* For one function: what it is for each object that calls it. */
enum { OBJECTS = 64 };
struct targets {
  struct {
    const char *begin, *end; /* of the object's memory */
    struct target target;
  } of[OBJECTS];
  unsigned known; /* published with release, read with acquire: entries below it are whole and never change */
};

/* What the function `name`, called from that address, is; ends the program where no runtime has it. */
struct target weir_find(struct targets *seen, const char *name, const void *caller, const void *ourselves);

#endif
