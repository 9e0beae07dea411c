// The routines of the OpenMP API for devices and their memory. The host is the only device.
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "openmp/routines/devices.hpp"
#include "openmp/routines/forms.hpp"
#include "openmp/tasks/task.hpp"

using namespace weir::openmp;

namespace {

constexpr char uid_of_host[] = "OMP_INITIAL_DEVICE";
// omp_invalid_device, as the compilers' omp.h says.
constexpr int invalid_of_gcc = invalid_device, invalid_of_llvm = -2;

char* at(void* p, std::size_t offset) { return static_cast<char*>(p) + offset; }
const char* at(const void* p, std::size_t offset) { return static_cast<const char*>(p) + offset; }

struct box {
  const std::size_t *offsets, *dimensions;
  box inner() const { return {offsets + 1, dimensions + 1}; }
};

/// The bytes of one step in the first dimension.
std::size_t stride(const box& b, int dimensions, std::size_t bytes) {
  for (int i = 1; i < dimensions; ++i) bytes *= b.dimensions[i];
  return bytes;
}

void copy_box(char* to, const char* from, std::size_t bytes, int dimensions, const std::size_t* volume, box into, box out_of) {
  const std::size_t step_to = stride(into, dimensions, bytes), step_from = stride(out_of, dimensions, bytes);
  to += into.offsets[0] * step_to;
  from += out_of.offsets[0] * step_from;
  if (dimensions == 1) {
    std::memcpy(to, from, volume[0] * bytes);
    return;
  }
  for (std::size_t i = 0; i < volume[0]; ++i)
    copy_box(to + i * step_to, from + i * step_from, bytes, dimensions - 1, volume + 1, into.inner(), out_of.inner());
}

}  // namespace

extern "C" {

int weir_omp_get_device_num(void) { return 0; }
int weir_omp_get_device_num_(void) { return 0; }

void* weir_omp_target_alloc(std::size_t bytes, int device) { return is_host(device) ? std::malloc(bytes) : nullptr; }
void weir_omp_target_free(void* p, int device) {
  if (is_host(device)) std::free(p);
}
int weir_omp_target_is_present(const void*, int device) { return is_host(device); }
int weir_omp_target_is_accessible(const void*, std::size_t, int device) { return is_host(device); }
void* weir_omp_get_mapped_ptr(const void* p, int device) { return is_host(device) ? const_cast<void*>(p) : nullptr; }
// The host's memory is associated with itself, which cannot be changed.
int weir_omp_target_associate_ptr(const void*, const void*, std::size_t, std::size_t, int) { return EINVAL; }
int weir_omp_target_disassociate_ptr(const void*, int) { return EINVAL; }

int weir_omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_offset, std::size_t from_offset,
                           int to_device, int from_device) {
  if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
  if (bytes != 0) std::memcpy(at(to, to_offset), at(from, from_offset), bytes);
  return 0;
}

// Without addresses: how many dimensions are supported.
int weir_omp_target_memcpy_rect(void* to, const void* from, std::size_t bytes, int dimensions, const std::size_t* volume,
                                const std::size_t* to_offsets, const std::size_t* from_offsets,
                                const std::size_t* to_dimensions, const std::size_t* from_dimensions, int to_device,
                                int from_device) {
  if (to == nullptr && from == nullptr) return INT_MAX;
  if (!is_host(to_device) || !is_host(from_device) || bytes == 0 || dimensions < 1) return EINVAL;
  for (int i = 0; i < dimensions; ++i)
    if (to_offsets[i] + volume[i] > to_dimensions[i] || from_offsets[i] + volume[i] > from_dimensions[i]) return EINVAL;
  copy_box(at(to, 0), at(from, 0), bytes, dimensions, volume, {to_offsets, to_dimensions}, {from_offsets, from_dimensions});
  return 0;
}

// Executed at once, after all tasks that it might depend on.
int weir_omp_target_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t to_offset, std::size_t from_offset,
                                 int to_device, int from_device, int, void*) {
  finish_children(self());
  return weir_omp_target_memcpy(to, from, bytes, to_offset, from_offset, to_device, from_device);
}
int weir_omp_target_memcpy_rect_async(void* to, const void* from, std::size_t bytes, int dimensions, const std::size_t* volume,
                                      const std::size_t* to_offsets, const std::size_t* from_offsets,
                                      const std::size_t* to_dimensions, const std::size_t* from_dimensions, int to_device,
                                      int from_device, int, void*) {
  finish_children(self());
  return weir_omp_target_memcpy_rect(to, from, bytes, dimensions, volume, to_offsets, from_offsets, to_dimensions,
                                     from_dimensions, to_device, from_device);
}

void* weir_omp_target_memset(void* to, int value, std::size_t bytes, int device) {
  return is_host(device) ? std::memset(to, value, bytes) : to;
}
void* weir_omp_target_memset_async(void* to, int value, std::size_t bytes, int device, int, void*) {
  finish_children(self());
  return weir_omp_target_memset(to, value, bytes, device);
}

// ---- which device is which [OpenMP 6.0, 23.7; OpenMP TR14]

const char* weir_omp_get_uid_from_device(int device) { return is_host(device) ? uid_of_host : nullptr; }
// Fortran's function of GCC's omp_lib has a pointer to characters for its result, and takes the number by value.
void weir_omp_get_uid_from_device_(const char** uid, std::size_t* length, int device) {
  *uid = weir_omp_get_uid_from_device(device);
  *length = *uid != nullptr ? std::strlen(*uid) : 0;
}
void weir_omp_get_uid_from_device_8_(const char** uid, std::size_t* length, long device) {
  weir_omp_get_uid_from_device_(uid, length, narrow(device));
}
int weir_omp_get_device_from_uid(const char* uid) {
  return uid != nullptr && std::strcmp(uid, uid_of_host) == 0 ? 0 : invalid_of_gcc;
}
int weir_omp_get_device_from_uid_(const char* uid, std::size_t length) {
  return std::string_view(uid, length) == uid_of_host ? 0 : invalid_of_gcc;
}
int weir_llvm_omp_get_device_from_uid(const char* uid) {
  return weir_omp_get_device_from_uid(uid) == 0 ? 0 : invalid_of_llvm;
}

// From the host; -1: there is no such device.
void weir_omp_get_device_distances(int count, const int* devices, int* distances) {
  for (int i = 0; i < count; ++i) distances[i] = is_host(devices[i]) ? 0 : -1;
}

}  // extern "C"

FOUND_IN_BOTH(omp_get_device_distances, "OMP_6.1")
FOUND_AS(omp_get_device_from_uid, "@GOMP_6.0")
FOUND_AS(omp_get_device_from_uid_, "@GOMP_6.0")
FOUND_FOR(weir_llvm_omp_get_device_from_uid, omp_get_device_from_uid, "@@VERSION")
FOUND_IN_BOTH(omp_get_device_num, "OMP_5.0.2")
FOUND_IN_BOTH(omp_get_device_num_, "OMP_5.0.2")
FOUND_IN_BOTH(omp_get_mapped_ptr, "OMP_5.1.1")
FOUND_IN_BOTH(omp_get_uid_from_device, "GOMP_6.0")
FOUND_AS(omp_get_uid_from_device_, "@GOMP_6.0")
FOUND_AS(omp_get_uid_from_device_8_, "@GOMP_6.0")
FOUND_IN_BOTH(omp_target_alloc, "OMP_4.5")
FOUND_IN_BOTH(omp_target_associate_ptr, "OMP_4.5")
FOUND_IN_BOTH(omp_target_disassociate_ptr, "OMP_4.5")
FOUND_IN_BOTH(omp_target_free, "OMP_4.5")
FOUND_IN_BOTH(omp_target_is_accessible, "OMP_5.1.1")
FOUND_IN_BOTH(omp_target_is_present, "OMP_4.5")
FOUND_IN_BOTH(omp_target_memcpy, "OMP_4.5")
FOUND_IN_BOTH(omp_target_memcpy_async, "OMP_5.1.1")
FOUND_IN_BOTH(omp_target_memcpy_rect, "OMP_4.5")
FOUND_IN_BOTH(omp_target_memcpy_rect_async, "OMP_5.1.1")
FOUND_IN_BOTH(omp_target_memset, "GOMP_6.0.1")
FOUND_IN_BOTH(omp_target_memset_async, "GOMP_6.0.1")
