! teams, distribute and target in Fortran: without a device everything runs on the host.
program leagues
  use checking
  use omp_lib
  implicit none
  integer, parameter :: n = 180
  integer :: shared_by_all(10) = 7
  !$omp declare target (shared_by_all)
  call omp_set_dynamic(.false.)
  call its_size()
  call distributed()
  call distributed_twice()
  call combined()
  call targets()
  call mapped()
  call later_targets()
  call verdict()
contains
  pure integer function twice(value)
    !$omp declare target
    integer, intent(in) :: value
    twice = 2 * value
  end function twice

  subroutine its_size()
    integer :: leagues, size, members, numbers
    leagues = 0; size = 0; members = 0; numbers = 0
    !$omp teams num_teams(3) thread_limit(2) reduction(+: leagues, numbers) shared(size, members)
    leagues = leagues + 1
    numbers = numbers + omp_get_team_num()
    if (omp_get_team_num() == 0) size = omp_get_num_teams()
    !$omp parallel
    call check(omp_get_num_threads() <= 2 .and. omp_get_thread_limit() <= 2, 'thread_limit')
    !$omp atomic
    members = members + 1
    !$omp end parallel
    !$omp end teams
    call check(size >= 1 .and. size <= 3 .and. leagues == size, 'num_teams')
    call check(numbers == size * (size - 1) / 2, 'team numbers')
    call check(members >= size .and. members <= 2 * size, 'members of teams')
    call check(omp_get_num_teams() == 1 .and. omp_get_team_num() == 0, 'after a league')
  end subroutine its_size

  ! Teams do not wait for each other between two loops.
  subroutine distributed()
    integer :: times(n), i, j, given, last
    times = 0; given = 4; last = 0
    !$omp teams num_teams(4) shared(times)
    !$omp distribute
    do i = 1, n
      !$omp atomic
      times(i) = times(i) + 1
    end do
    !$omp distribute dist_schedule(static, 7) firstprivate(given)
    do i = n, 1, -1
      !$omp atomic
      times(i) = times(i) + given
    end do
    !$omp distribute collapse(2)
    do i = 0, 8
      do j = 1, n / 9
        !$omp atomic
        times(n / 9 * i + j) = times(n / 9 * i + j) + 10
      end do
    end do
    !$omp end teams
    call check(all(times == 15), 'distribute')
    !$omp teams distribute simd lastprivate(last)
    do i = 1, n
      times(i) = times(i) - 15
      last = i
    end do
    call check(all(times == 0) .and. last == n, 'teams distribute simd')
  end subroutine distributed

  subroutine distributed_twice()
    integer :: times(n), i, total
    times = 0; total = 0
    !$omp teams num_teams(2) shared(times)
    !$omp distribute parallel do
    do i = 1, n
      !$omp atomic
      times(i) = times(i) + 1
    end do
    !$omp distribute parallel do dist_schedule(static, 20) schedule(dynamic, 3)
    do i = 1, n
      !$omp atomic
      times(i) = times(i) + 1
    end do
    !$omp end teams
    !$omp teams num_teams(2) shared(times)
    !$omp distribute parallel do simd schedule(guided) order(concurrent)
    do i = n, 1, -1
      times(i) = times(i) + 1
    end do
    !$omp end teams
    call check(all(times == 3), 'distribute parallel do')
    !$omp teams distribute parallel do reduction(+: total) num_threads(2)
    do i = 1, n
      total = total + i
    end do
    call check(total == n * (n + 1) / 2, 'teams distribute parallel do')
  end subroutine distributed_twice

  subroutine combined()
    integer :: times(n), i, total
    times = 0; total = 0
    !$omp teams loop reduction(+: total)
    do i = 1, n
      times(i) = times(i) + 1
      total = total + i
    end do
    !$omp target teams loop map(tofrom: times)
    do i = 1, n
      times(i) = times(i) + 1
    end do
    !$omp target teams distribute parallel do simd map(tofrom: times, total) reduction(+: total)
    do i = 1, n
      times(i) = times(i) + 1
      total = total + i
    end do
    !$omp target parallel loop map(tofrom: times)
    do i = 1, n
      times(i) = times(i) + 1
    end do
    !$omp target parallel do map(tofrom: times)
    do i = 1, n
      times(i) = times(i) + 1
    end do
    call check(all(times == 5) .and. total == n * (n + 1), 'combined with target and loop')
  end subroutine combined

  subroutine targets()
    integer :: field(n), given, here, i
    given = 3; here = 0
    !$omp target map(from: field, here) firstprivate(given)
    if (omp_is_initial_device()) here = 1
    do i = 1, n
      field(i) = twice(i) + given
    end do
    given = 0
    !$omp end target
    call check(here == 1 .and. given == 3 .and. all(field == [(2 * i + 3, i = 1, n)]), 'target')
    !$omp target if(given == 0) device(omp_get_initial_device()) map(always, tofrom: field)
    field = field - given
    !$omp end target
    call check(all(field == [(2 * i, i = 1, n)]), 'target if and device')
    !$omp target
    shared_by_all = shared_by_all + 1
    !$omp end target
    !$omp target update from(shared_by_all)
    call check(all(shared_by_all == 8), 'declare target')
  end subroutine targets

  subroutine mapped()
    integer, allocatable :: field(:)
    integer :: i
    field = [(i, i = 1, n)]
    !$omp target data map(tofrom: field) use_device_addr(field)
    !$omp target map(alloc: field)
    field = field + 1
    !$omp end target
    !$omp target update from(field)
    !$omp end target data
    call check(all(field == [(i + 1, i = 1, n)]), 'target data')
    !$omp target enter data map(to: field)
    !$omp target
    field = field - 1
    !$omp end target
    !$omp target update from(field(1:n / 2))
    call check(all(field(1:n / 2) == [(i, i = 1, n / 2)]), 'target update of a part')
    !$omp target exit data map(from: field)
    call check(sum(field) == n * (n + 1) / 2, 'target exit data')
  end subroutine mapped

  subroutine later_targets()
    integer :: at, i
    at = 0
    !$omp parallel
    !$omp single
    do i = 1, 20
      !$omp target nowait map(tofrom: at) depend(inout: at) firstprivate(i)
      if (at == i - 1) at = i
      !$omp end target
    end do
    !$omp target update to(at) nowait depend(inout: at)
    !$omp taskwait
    call check(at == 20, 'target nowait in the order of its dependences')
    !$omp end single
    !$omp end parallel
  end subroutine later_targets
end program leagues
