! Loops over long integers, sections, single and doacross loop nests in Fortran; an error directive that only warns.
program worksharing
  use omp_lib
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: n = 120
  integer(int64), parameter :: long = huge(0_int64) - 2 * n
  integer :: wrongs = 0, i, j, team, kept
  integer(int64) :: k
  integer :: times(n), paths(0:8, 0:15)

  call omp_set_dynamic(.false.)
  team = omp_get_max_threads()

  times = 0
  !$omp parallel do schedule(dynamic, 7)
  do k = long, long + 2 * (n - 1), 2
    !$omp atomic
    times((k - long) / 2 + 1) = times((k - long) / 2 + 1) + 1
  end do
  call check(all(times == 1), 'dynamic, long')

  times = 0
  !$omp parallel do schedule(guided) lastprivate(k)
  do k = -huge(0_int64) + n - 1, -huge(0_int64), -1
    !$omp atomic
    times(k + huge(0_int64) + 1) = times(k + huge(0_int64) + 1) + 1
  end do
  call check(all(times == 1), 'guided, downwards to the least')

  call omp_set_schedule(omp_sched_dynamic, 3)
  times = 0
  j = 0
  !$omp parallel do ordered schedule(runtime)
  do i = 1, n
    times(i) = times(i) + 1
    !$omp ordered
    if (j /= i - 1) call fail('ordered')
    j = i
    !$omp end ordered
  end do
  call check(all(times == 1) .and. j == n, 'ordered')

  times = 0
  kept = 0
  !$omp parallel sections lastprivate(kept)
  !$omp section
  times(1) = times(1) + 1
  !$omp section
  times(2) = times(2) + 1
  !$omp section
  times(3) = times(3) + 1
  kept = 3
  !$omp end parallel sections
  call check(all(times(:3) == 1) .and. kept == 3, 'sections')

  kept = 0
  !$omp parallel private(j)
  !$omp single
  j = 42
  !$omp end single copyprivate(j)
  !$omp atomic
  kept = kept + j
  !$omp end parallel
  call check(kept == 42 * team, 'copyprivate')

  paths = 0
  !$omp parallel do ordered(2) schedule(dynamic) private(j)
  do i = 1, 8
    do j = 1, 15
      !$omp ordered depend(sink: i - 1, j) depend(sink: i, j - 1)
      if (i == 1 .or. j == 1) then
        paths(i, j) = 1
      else
        paths(i, j) = paths(i - 1, j) + paths(i, j - 1)
      end if
      !$omp ordered depend(source)
    end do
  end do
  call check(paths(8, 15) == 116280, 'doacross')

  !$omp error at(execution) severity(warning) message('what a warning looks like')
  if (wrongs == 0) print '(a)', 'ok'
  if (wrongs /= 0) stop 1

contains

  subroutine fail(what)
    character(*), intent(in) :: what
    print '(2a)', 'not so: ', what
    wrongs = wrongs + 1
  end subroutine

  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (.not. good) call fail(what)
  end subroutine
end program
