! Detached tasks in Fortran: the omp_fulfill_event of omp_lib takes the event by value.
program detached
  use checking
  use omp_lib
  implicit none
  integer(omp_event_handle_kind) :: own, others
  integer :: count
  count = 0
  !$omp parallel num_threads(2)
  !$omp single
  !$omp task detach(own) shared(count)
  count = count + 1
  call omp_fulfill_event(own)
  !$omp end task
  !$omp taskwait
  !$omp task detach(others) shared(count)
  count = count + 1
  !$omp end task
  call omp_fulfill_event(others)
  !$omp taskwait
  !$omp end single
  !$omp end parallel
  call check(count == 2, 'detach')
  call verdict()
end program
