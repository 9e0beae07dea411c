! Critical sections, locks, atomics, reductions and barriers in Fortran.
program exclusion
  use checking
  use omp_lib
  use iso_fortran_env
  implicit none
  integer, parameter :: rounds = 200
  integer :: i, critical_count, lock_count, nested, atomic_count, team, least, most, both, captured
  integer :: field(0:63), counts(5)
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest_lock
  real(real64) :: product
  complex(real64) :: wave
  logical :: every, any_one, all_there
  integer, save :: own = 4
  !$omp threadprivate(own)
  critical_count = 0; lock_count = 0; nested = 0; atomic_count = 0; team = 0
  every = .true.; any_one = .false.; wave = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest_lock)
  !$omp parallel private(i, captured)
  !$omp master
  team = omp_get_num_threads()
  !$omp end master
  do i = 1, rounds
    !$omp critical (name)
    critical_count = critical_count + 1
    !$omp end critical (name)
    call omp_set_lock(lock)
    lock_count = lock_count + 1
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest_lock)
    if (omp_test_nest_lock(nest_lock) == 2) nested = nested + 1
    call omp_unset_nest_lock(nest_lock)
    call omp_unset_nest_lock(nest_lock)
    !$omp atomic capture
    atomic_count = atomic_count + 1
    captured = atomic_count
    !$omp end atomic
    !$omp atomic
    wave = wave + (1.0_real64, -2.0_real64)
    !$omp atomic
    every = every .and. captured > 0
    !$omp atomic
    any_one = any_one .or. captured == 1
  end do
  !$omp end parallel
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest_lock)
  call check(critical_count == rounds * team, 'critical')
  call check(lock_count == rounds * team, 'locks')
  call check(nested == rounds * team, 'nest locks')
  call check(atomic_count == rounds * team .and. every .and. any_one, 'atomic')
  call check(wave == rounds * team * (1.0_real64, -2.0_real64), 'atomic of a complex')

  least = huge(least); most = 0; product = 1; both = 0; counts = 0; every = .true.
  !$omp parallel do reduction(min: least) reduction(max: most) reduction(*: product) reduction(ieor: both) &
  !$omp& reduction(+: counts) reduction(.and.: every) schedule(dynamic)
  do i = 1, 100
    least = min(least, i); most = max(most, i)
    if (mod(i, 10) == 0) product = product * 2
    both = ieor(both, i)
    counts(mod(i, 5) + 1) = counts(mod(i, 5) + 1) + 1
    every = every .and. i > 0
  end do
  call check(least == 1 .and. most == 100 .and. product == 1024 .and. both == 100, 'reductions')
  call check(all(counts == 20) .and. every, 'reductions of arrays and logicals')

  all_there = .true.
  field = 0
  !$omp parallel private(i) reduction(.and.: all_there)
  do i = 1, rounds
    field(omp_get_thread_num()) = i
    !$omp barrier
    all_there = all_there .and. all(field(0:omp_get_num_threads() - 1) == i)
    !$omp barrier
  end do
  !$omp end parallel
  call check(all_there, 'barrier')

  own = 9
  all_there = .true.
  !$omp parallel copyin(own) reduction(.and.: all_there)
  all_there = own == 9
  own = omp_get_thread_num()
  !$omp end parallel
  !$omp parallel reduction(.and.: all_there)
  all_there = all_there .and. own == omp_get_thread_num()
  !$omp end parallel
  call check(all_there, 'threadprivate and copyin')
  call verdict()
end program exclusion
