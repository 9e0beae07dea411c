#include "openmp/support/errors.hpp"

#include "openmp/support/call_site.hpp"
#include "openmp/support/stop.hpp"

namespace weir::openmp {

void end_for(const error& what, const char* construct) {
  stop("%s at %s: %s; %s [OpenMP 5.2, %s]", construct != nullptr ? construct : what.construct,
       text_of(call_site()).c_str(), what.wrong, what.instead, what.section);
}

}  // namespace weir::openmp
