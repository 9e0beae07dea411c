! Directives and clauses in Fortran: which members of a team execute a construct, and what they see of each other's data.
program directives
  use checking
  use omp_lib
  implicit none
  integer, parameter :: n = 240
  integer :: team
  call omp_set_dynamic(.false.)
  team = omp_get_max_threads()
  call bound()
  call hinted_sections()
  call masked_ones()
  call scopes()
  call atomics()
  call flushed()
  call allocated_copies()
  call verdict()
contains
  subroutine bound()
    integer :: members
    members = 0
    !$omp parallel proc_bind(primary) reduction(+: members)
    members = members + 1
    !$omp end parallel
    !$omp parallel proc_bind(close) reduction(+: members)
    members = members + 10
    !$omp end parallel
    !$omp parallel proc_bind(spread) reduction(+: members)
    members = members + 100
    !$omp end parallel
    !$omp parallel proc_bind(master) reduction(+: members)
    members = members + 1000
    !$omp end parallel
    call check(members == 1111 * team, 'proc_bind')
  end subroutine bound

  subroutine hinted_sections()
    integer :: i, count, other
    count = 0; other = 0
    !$omp parallel private(i)
    do i = 1, 50
      !$omp critical (contended) hint(omp_sync_hint_contended)
      count = count + 1
      !$omp end critical (contended)
      !$omp critical (speculative) hint(omp_sync_hint_uncontended + omp_sync_hint_speculative)
      other = other - 1
      !$omp end critical (speculative)
    end do
    !$omp end parallel
    call check(count == 50 * team .and. other == -50 * team, 'critical with a hint')
  end subroutine hinted_sections

  subroutine masked_ones()
    integer :: first, last, masters, tasks(n), i
    first = -1; last = -1; masters = 0; tasks = 0
    !$omp parallel
    !$omp masked
    first = omp_get_thread_num()
    !$omp end masked
    !$omp masked filter(omp_get_num_threads() - 1)
    last = omp_get_thread_num()
    !$omp end masked
    !$omp master
    masters = masters + 1
    !$omp end master
    !$omp end parallel
    call check(first == 0 .and. last == team - 1 .and. masters == 1, 'masked and master')
    !$omp parallel masked
    masters = masters + 1
    !$omp end parallel masked
    !$omp parallel masked taskloop grainsize(9)
    do i = 1, n
      tasks(i) = tasks(i) + 1
    end do
    !$omp parallel master taskloop simd
    do i = 1, n
      tasks(i) = tasks(i) + 1
    end do
    call check(masters == 2 .and. all(tasks == 2), 'masked and master, combined')
  end subroutine masked_ones

  subroutine scopes()
    integer :: members, rounds, i, own
    members = 0; rounds = 0; own = -1
    !$omp parallel private(i)
    !$omp scope private(own) reduction(+: members)
    own = omp_get_thread_num()
    members = members + own
    !$omp end scope
    call check(members == team * (team - 1) / 2 .and. own == -1, 'scope')
    do i = 1, 20
      !$omp scope reduction(+: rounds)
      rounds = rounds + 1
      !$omp end scope
    end do
    !$omp scope
    !$omp atomic
    rounds = rounds + 1
    !$omp end scope nowait
    !$omp end parallel
    call check(rounds == 21 * team, 'scopes in turn')
  end subroutine scopes

  subroutine atomics()
    integer :: ticket, own, before, old, now, most, i, taken(0:63)
    ticket = 0; before = 0; most = -1; taken = 0; old = 0
    !$omp parallel private(own, now) reduction(+: old)
    !$omp atomic capture
    own = ticket
    ticket = ticket + 1
    !$omp end atomic
    taken(own) = taken(own) + 1
    !$omp atomic capture seq_cst
    own = before
    before = omp_get_thread_num() + 1
    !$omp end atomic
    old = own
    !$omp atomic update acq_rel hint(omp_sync_hint_contended)
    most = max(most, omp_get_thread_num())
    !$omp end atomic
    !$omp barrier
    !$omp atomic read acquire
    now = most
    call check(now == team - 1, 'atomic read')
    !$omp end parallel
    call check(all(taken(:team - 1) == 1) .and. all(taken(team:) == 0), 'atomic capture')
    call check(old + before == team * (team + 1) / 2, 'atomic exchange')
    !$omp parallel do
    do i = 1, n
      !$omp atomic write release
      before = -7
    end do
    call check(before == -7, 'atomic write')
  end subroutine atomics

  subroutine flushed()
    integer :: round, x, y, saw_x, saw_y
    do round = 1, 50
      x = 0; y = 0; saw_x = 1; saw_y = 1
      !$omp parallel num_threads(2)
      if (omp_get_thread_num() == 0) then
        !$omp atomic write
        x = 1
        !$omp flush
        !$omp atomic read
        saw_y = y
      else
        !$omp atomic write
        y = 1
        !$omp flush
        !$omp atomic read
        saw_x = x
      end if
      !$omp end parallel
      call check(saw_x == 1 .or. saw_y == 1, 'flush')
    end do
    x = 0; y = 0
    !$omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) then
      !$omp atomic write
      x = 42
      !$omp flush release
      !$omp atomic write
      y = 1
    else
      do
        !$omp atomic read
        saw_y = y
        if (saw_y == 1) exit
      end do
      !$omp flush acquire
      !$omp atomic read
      saw_x = x
      call check(saw_x == 42, 'flush release and acquire')
    end if
    !$omp end parallel
  end subroutine flushed

  subroutine allocated_copies()
    integer :: field(100), given, good
    given = 8; good = 0
    !$omp parallel private(field) firstprivate(given) reduction(+: good) &
    !$omp& allocate(omp_default_mem_alloc: field) allocate(omp_low_lat_mem_alloc: given)
    field = omp_get_thread_num() + given
    !$omp barrier
    given = given + 1
    if (all(field == omp_get_thread_num() + 8) .and. given == 9) good = 1
    !$omp end parallel
    call check(good == team .and. given == 8, 'allocate')
  end subroutine allocated_copies
end program directives
