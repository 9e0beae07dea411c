! Like directives.c, for the routines that Fortran calls by other names: its lock routines end in an underscore.
program directives
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer :: i, k
  integer, volatile :: total
  call omp_init_lock(lock)
  !$omp parallel private(k)
  do k = 1, 9
    !$omp barrier
    call omp_set_lock(lock)
    total = k
    call omp_unset_lock(lock)
    !$omp do schedule(dynamic, 5)
    do i = 1, 20
      total = i
    end do
    !$omp end do
    !$omp single
    total = 1
    !$omp end single
  end do
  !$omp end parallel
  call omp_destroy_lock(lock)
end program
