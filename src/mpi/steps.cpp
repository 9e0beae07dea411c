#include "steps.hpp"

#include <stdexcept>

#include "yielding.hpp"

namespace weir::mpi {

bool steps::agree(bool can) {
  enum outcome { failure, wrong_arguments, cannot, success };
  int own = can ? success : cannot;
  std::exception_ptr met = met_;
  if (met) {
    try {
      std::rethrow_exception(met);
    } catch (const std::invalid_argument&) {
      own = wrong_arguments;
    } catch (const error& e) {
      own = failure;
      met = std::make_exception_ptr(agreed_error(e.code(), e.what()));
    } catch (...) {
      own = failure;
    }
  }
  const int worst = yielding::least(own, comm_, "making a barrier");
  if (worst >= cannot) return worst == success;
  if (own == worst) std::rethrow_exception(met);
  throw std::runtime_error("weir: another process could not do its part in making a barrier");
}

}  // namespace weir::mpi
