/* A function that replaces the runtime's own. All functions take and return whole words, so one signature fits all: eleven
 * words in (as many as GOMP_taskloop has), one out. For an argument that a caller has not passed, the word in its place is
 * forwarded and never used (System V x86-64, AAPCS64: the caller cleans up). */
#ifndef WEIR_PROFILE_FORWARDING_H
#define WEIR_PROFILE_FORWARDING_H

#include <stdbool.h>
#include <stddef.h>

#include "callers.h"

#define ELEVEN_WORDS word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k

/* `before` and `after` happen if the runtime is observed here; `first` and `second` replace the first two words. */
#define FORWARD_CHANGED(name, locals, before, first, second, after)                                           \
  word name(ELEVEN_WORDS) {                                                                                   \
    static struct targets targets;                                                                            \
    const struct target target = weir_find(&targets, #name, __builtin_return_address(0), (const void *)name); \
    const struct runtime *where = target.where;                                                               \
    locals;                                                                                                   \
    if (where != NULL) {                                                                                      \
      before;                                                                                                 \
    }                                                                                                         \
    const word result = target.call(first, second, c, d, e, f, g, h, i, j, k);                                \
    if (where != NULL) {                                                                                      \
      after;                                                                                                  \
    }                                                                                                         \
    return result;                                                                                            \
  }
#define FORWARD(name, before, after) FORWARD_CHANGED(name, , before, a, b, after)

/* The result of a function that returns a bool. */
static inline bool said(word result) { return (result & 0xff) != 0; }

#endif
