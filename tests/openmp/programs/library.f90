! omp_lib: the routines in Fortran, with default and with 8-byte integers and logicals where both forms exist.
program library
  use checking
  use omp_lib
  implicit none
  integer :: team, seen, length
  integer(8) :: eight
  integer(omp_sched_kind) :: kind
  integer :: chunk
  character(16) :: text
  double precision :: begin
  call get_environment_variable('OMP_NUM_THREADS', text, length)
  read (text(:length), *) team
  call omp_set_dynamic(.false.)
  call check(.not. omp_get_dynamic(), 'dynamic')
  call check(omp_get_max_threads() == team .and. omp_get_num_threads() == 1, 'team sizes')
  call check(omp_get_thread_num() == 0 .and. .not. omp_in_parallel() .and. omp_get_level() == 0, 'outside')
  seen = 0
  !$omp parallel reduction(+: seen)
  if (omp_get_num_threads() == team .and. omp_get_level() == 1) seen = 1
  if (omp_get_team_size(1) /= team .or. omp_get_ancestor_thread_num(1) /= omp_get_thread_num()) seen = -100
  if (omp_in_parallel() .neqv. team > 1) seen = -100
  !$omp end parallel
  call check(seen == team, 'inside')
  eight = 3
  call omp_set_num_threads(eight)
  call check(omp_get_max_threads() == 3, 'omp_set_num_threads with 8 bytes')
  call omp_set_num_threads(2)
  call check(omp_get_max_threads() == 2, 'omp_set_num_threads')
  call omp_set_max_active_levels(2)
  call check(omp_get_max_active_levels() == 2, 'levels')
  call omp_set_schedule(omp_sched_guided, 6)
  call omp_get_schedule(kind, chunk)
  call check(kind == omp_sched_guided .and. chunk == 6, 'schedule')
  call check(omp_get_num_procs() >= 1 .and. omp_get_thread_limit() >= 1, 'limits')
  begin = omp_get_wtime()
  call check(omp_get_wtick() > 0 .and. omp_get_wtime() >= begin, 'clock')
  call check(omp_get_num_places() >= 0 .and. omp_get_cancellation() .eqv. .false., 'places and cancellation')
  call check(omp_is_initial_device() .and. .not. omp_in_final(), 'device')
  call verdict()
end program library
