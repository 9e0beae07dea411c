// The routines of the OpenMP API for places.
#include <algorithm>
#include <span>

#include "openmp/placing/team_binding.hpp"
#include "openmp/routines/forms.hpp"

using namespace weir::openmp;

namespace {

/// The processors of a place; none if there is no such place.
std::span<const int> place_at(int number) {
  if (number < 0 || static_cast<std::size_t>(number) >= places().size()) return {};
  return places()[static_cast<std::size_t>(number)];
}

template <class Integer>
void write_processors(int place, Integer* ids) {
  std::ranges::copy(place_at(place), ids);
}

template <class Integer>
void write_partition(Integer* numbers) {
  const thread_binding& binding = self().binding;
  for (int p = 0; p < binding.count; ++p) numbers[p] = binding.first + p;
}

}  // namespace

ASKS(int, weir_omp_get_proc_bind, static_cast<int>(binding_of_next(self())))
ASKS(int, weir_omp_get_num_places, static_cast<int>(places().size()))
ASKS(int, weir_omp_get_place_num, self().binding.place)
ASKS(int, weir_omp_get_partition_num_places, self().binding.count)
ASKS_INT(weir_omp_get_place_num_procs, static_cast<int>(place_at(it).size()))

extern "C" {
void weir_omp_get_place_proc_ids(int place, int* ids) { write_processors(place, ids); }
void weir_omp_get_place_proc_ids_(const int* place, int* ids) { write_processors(*place, ids); }
void weir_omp_get_place_proc_ids_8_(const long* place, long* ids) { write_processors(narrow(*place), ids); }
void weir_omp_get_partition_place_nums(int* numbers) { write_partition(numbers); }
void weir_omp_get_partition_place_nums_(int* numbers) { write_partition(numbers); }
void weir_omp_get_partition_place_nums_8_(long* numbers) { write_partition(numbers); }
}

FOUND_IN_BOTH(omp_get_num_places, "OMP_4.5")
FOUND_IN_BOTH(omp_get_num_places_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_partition_num_places, "OMP_4.5")
FOUND_IN_BOTH(omp_get_partition_num_places_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_partition_place_nums, "OMP_4.5")
FOUND_IN_BOTH(omp_get_partition_place_nums_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_partition_place_nums_8_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_place_num, "OMP_4.5")
FOUND_IN_BOTH(omp_get_place_num_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_place_num_procs, "OMP_4.5")
FOUND_IN_BOTH(omp_get_place_num_procs_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_place_num_procs_8_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_place_proc_ids, "OMP_4.5")
FOUND_IN_BOTH(omp_get_place_proc_ids_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_place_proc_ids_8_, "OMP_4.5")
FOUND_IN_BOTH(omp_get_proc_bind, "OMP_4.0")
FOUND_IN_BOTH(omp_get_proc_bind_, "OMP_4.0")
