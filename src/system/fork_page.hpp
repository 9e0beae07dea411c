// What each fork writes lies together, since every page that is written around a fork is copied, once for the parent and once for
// the child; and so does the code that each child runs, since a child maps code anew, 64 KiB at a time.
#pragma once

#define WEIR_WRITTEN_BY_FORKS [[gnu::section("weir_forks")]]
#define WEIR_RUN_BY_FORKS [[gnu::section("weir_fork_code"), gnu::flatten]]
