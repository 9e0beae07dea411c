// Variables that each fork writes lie together: every page that is written around a fork is copied, once for the parent and once for the
// child.
#pragma once

#define WEIR_WRITTEN_BY_FORKS [[gnu::section("weir_forks")]]
