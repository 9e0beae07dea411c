! cancel and cancellation point in Fortran; with OMP_CANCELLATION unset nothing is cancelled.
program cancellation
  use checking
  use omp_lib
  implicit none
  integer :: i, executed, after
  logical :: on

  on = omp_get_cancellation()
  executed = 0
  after = 0
  !$omp parallel reduction(+: executed)
  !$omp do schedule(dynamic)
  do i = 1, 1000
    !$omp cancel do
    executed = executed + 1
  end do
  !$omp end do
  !$omp end parallel
  call check(executed == merge(0, 1000, on), 'cancel do')

  !$omp parallel
  !$omp cancel parallel
  !$omp atomic
  after = after + 1
  !$omp end parallel
  call check(on .neqv. after > 0, 'cancel parallel')

  after = 0
  !$omp parallel
  !$omp single
  !$omp taskgroup
  do i = 1, 20
    !$omp task
    !$omp cancel taskgroup
    !$omp atomic
    after = after + 1
    !$omp end task
  end do
  !$omp end taskgroup
  !$omp end single
  !$omp end parallel
  call check(after == merge(0, 20, on), 'cancel taskgroup')

  after = 0
  !$omp parallel
  !$omp sections
  !$omp section
  !$omp cancel sections
  !$omp atomic
  after = after + 1
  !$omp section
  !$omp cancellation point sections
  !$omp end sections
  !$omp end parallel
  call check(after == merge(0, 1, on), 'cancel sections')
  call verdict()
end program
