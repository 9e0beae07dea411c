! Allocators in Fortran.
program memory
  use, intrinsic :: iso_c_binding
  use omp_lib
  use checking
  implicit none
  integer(omp_allocator_handle_kind) :: own, before
  type(omp_alloctrait) :: traits(2)
  type(c_ptr) :: room
  integer, pointer :: field(:)
  integer :: i
  traits(1) = omp_alloctrait(omp_atk_alignment, 256)
  traits(2) = omp_alloctrait(omp_atk_fallback, omp_atv_null_fb)
  own = omp_init_allocator(omp_default_mem_space, 2, traits)
  call check(own /= omp_null_allocator, 'init')
  before = omp_get_default_allocator()
  call check(before == omp_default_mem_alloc, 'default')
  call omp_set_default_allocator(own)
  call check(omp_get_default_allocator() == own, 'set')
  room = omp_alloc(400_c_size_t, omp_null_allocator)
  call check(c_associated(room), 'alloc')
  call check(mod(transfer(room, 0_c_intptr_t), 256_c_intptr_t) == 0, 'aligned')
  call c_f_pointer(room, field, [100])
  !$omp parallel do
  do i = 1, 100
    field(i) = i
  end do
  call check(sum(field) == 5050, 'its own')
  room = omp_realloc(room, 800_c_size_t, own, own)
  call c_f_pointer(room, field, [200])
  call check(sum(field(1:100)) == 5050, 'realloc')
  call omp_free(room, own)
  room = omp_calloc(100_c_size_t, 4_c_size_t, own)
  call c_f_pointer(room, field, [100])
  call check(all(field == 0), 'calloc')
  call omp_free(room, own)
  call omp_set_default_allocator(before)
  call omp_destroy_allocator(own)
  call verdict()
end program memory
