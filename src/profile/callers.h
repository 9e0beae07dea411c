/* The function that a call was meant for. A process may have several runtimes (Python packages bring their own), so each call
 * goes to the one to which the dynamic linker would have bound its caller. */
#ifndef WEIR_PROFILE_CALLERS_H
#define WEIR_PROFILE_CALLERS_H

#include "counts.h"

/* A word that holds any argument or result. */
typedef long word;
typedef word (*forwarded)(word, word, word, word, word, word, word, word, word, word, word);

struct target {
  forwarded call;
  const struct runtime *where; /* null: not counted here */
};

/* For one function: its target for each object that calls it. */
enum { OBJECTS = 64 };
struct targets {
  struct {
    const char *begin, *end; /* of the object's memory */
    struct target target;
  } of[OBJECTS];
  unsigned known; /* published with release, read with acquire: entries below it are whole and never change */
};

/* The target of the function `name` for a call from `caller`; ends the program if no runtime has the function. */
struct target weir_find(struct targets *seen, const char *name, const void *caller, const void *ourselves);

#endif
