// One experiment: a way to call a function, and what happens meanwhile.
#pragma once

#include "row.hpp"

enum class during { as_it_is, cancel_disabled, cancelled_before, cancelled, handler, restarting_handler, in_handler, in_child };
const char* name_of(during what);

/// Does this experiment make sense?
bool applies(const row& of, const way& by, during what);

struct result {
  std::string said;
  bool had_seat = false;
  bool forked = false;
};
/// Makes the experiment, beside others.
result make(const row& of, const way& by, during what);

/// Once, before the first one.
void set_handlers();
