! Clauses of loops in Fortran besides schedule: scan, order(concurrent), linear, simd, declared reductions.
program loop_clauses
  use checking
  use omp_lib
  implicit none
  integer, parameter :: n = 240
  type :: span
    integer :: least = huge(0), most = -huge(0)
  end type span
  !$omp declare reduction(widened: span: omp_out = span(min(omp_out%least, omp_in%least), &
  !$omp&   max(omp_out%most, omp_in%most))) initializer(omp_priv = span())
  call omp_set_dynamic(.false.)
  call prefixes()
  call loops_in_any_order()
  call steps_beside_a_loop()
  call lanes()
  call own_reduction()
  call verdict()
contains
  subroutine prefixes()
    integer :: i, total, up_to(n), before(n), lanes(n)
    total = 0
    !$omp parallel do reduction(inscan, +: total)
    do i = 1, n
      total = total + i
      !$omp scan inclusive(total)
      up_to(i) = total
    end do
    call check(total == n * (n + 1) / 2, 'what a scan leaves')
    total = 0
    !$omp parallel do reduction(inscan, +: total)
    do i = 1, n
      before(i) = total
      !$omp scan exclusive(total)
      total = total + i
    end do
    total = 0
    !$omp simd reduction(inscan, +: total)
    do i = 1, n
      total = total + i
      !$omp scan inclusive(total)
      lanes(i) = total
    end do
    call check(all(up_to == [(i * (i + 1) / 2, i = 1, n)]), 'scan inclusive')
    call check(all(before == [(i * (i - 1) / 2, i = 1, n)]), 'scan exclusive')
    call check(all(lanes == up_to), 'scan in simd')
  end subroutine prefixes

  subroutine loops_in_any_order()
    integer :: i, j, times(n), total
    times = 0; total = 0
    !$omp parallel
    !$omp loop
    do i = 1, n
      times(i) = times(i) + 1
    end do
    !$omp loop bind(parallel) collapse(2) order(concurrent)
    do i = 0, 3
      do j = 1, n / 4
        times(i * n / 4 + j) = times(i * n / 4 + j) + 1
      end do
    end do
    !$omp do order(concurrent) schedule(dynamic, 7)
    do i = 1, n
      times(i) = times(i) + 1
    end do
    !$omp do order(reproducible: concurrent)
    do i = n, 1, -1
      times(i) = times(i) + 1
    end do
    !$omp end parallel
    !$omp parallel loop reduction(+: total) lastprivate(i)
    do i = 1, n
      total = total + times(i)
    end do
    call check(all(times == 4), 'loop and order(concurrent)')
    call check(total == 4 * n .and. i == n + 1, 'parallel loop')
  end subroutine loops_in_any_order

  subroutine steps_beside_a_loop()
    integer :: i, at, down, seen(n), lanes(n)
    at = 5; down = n + 1
    !$omp parallel do linear(at: 3) schedule(dynamic, 4)
    do i = 1, n
      seen(i) = at
      at = at + 3
    end do
    !$omp parallel do simd linear(down: -1)
    do i = 1, n
      down = down - 1
      lanes(i) = down
    end do
    call check(all(seen == [(2 + 3 * i, i = 1, n)]) .and. at == 5 + 3 * n, 'linear')
    call check(all(lanes == [(i, i = n, 1, -1)]) .and. down == 1, 'linear in simd')
  end subroutine steps_beside_a_loop

  subroutine lanes()
    integer :: i, total, last, squares(n)
    total = 0
    !$omp simd simdlen(4) private(last)
    do i = 1, n
      last = i
      squares(i) = last * i
    end do
    !$omp parallel
    !$omp do simd reduction(+: total) lastprivate(last) schedule(simd: dynamic, 6) safelen(8)
    do i = 1, n
      total = total + squares(i)
      last = i
    end do
    call check(last == n, 'what do simd leaves')
    !$omp end parallel
    call check(total == n * (n + 1) * (2 * n + 1) / 6, 'simd and do simd')
  end subroutine lanes

  subroutine own_reduction()
    type(span) :: all_of_them
    integer :: i
    !$omp parallel do reduction(widened: all_of_them) schedule(dynamic)
    do i = 1, n
      all_of_them = span(min(all_of_them%least, 3 * i), max(all_of_them%most, 3 * i))
    end do
    call check(all_of_them%least == 3 .and. all_of_them%most == 3 * n, 'declare reduction')
  end subroutine own_reduction
end program loop_clauses
