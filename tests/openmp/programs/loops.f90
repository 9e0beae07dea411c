! Loops, sections and single in Fortran: each iteration is executed once, in order if the loop is ordered.
program loops
  use checking
  use omp_lib
  implicit none
  integer, parameter :: n = 300
  integer :: times(n), i, j, last, sums, next, seen(4)
  integer(8) :: wide
  times = 0
  !$omp parallel do schedule(dynamic, 3)
  do i = 1, n
    times(i) = times(i) + 1
  end do
  call check(all(times == 1), 'dynamic')
  times = 0
  !$omp parallel
  !$omp do schedule(guided)
  do i = n, 1, -1
    times(i) = times(i) + 1
  end do
  !$omp do schedule(static, 7)
  do wide = 1_8, int(n, 8) * 5000000000_8, 5000000000_8
    times(wide / 5000000000_8 + 1) = times(wide / 5000000000_8 + 1) + 1
  end do
  !$omp do schedule(runtime)
  do i = 1, n, 2
    times(i) = times(i) + 1
  end do
  !$omp end parallel
  call check(all(times(1:n:2) == 3) .and. all(times(2:n:2) == 2), 'guided, static and runtime')
  sums = 0
  !$omp parallel do collapse(2) reduction(+: sums) lastprivate(last) schedule(static, 4)
  do i = 1, 10
    do j = 1, 20
      sums = sums + i * j
      last = 100 * i + j
    end do
  end do
  call check(sums == 55 * 210 .and. last == 1020, 'collapse and lastprivate')
  next = 1
  !$omp parallel do ordered schedule(dynamic)
  do i = 1, n
    !$omp ordered
    if (next == i) next = next + 1
    !$omp end ordered
  end do
  call check(next == n + 1, 'ordered')
  seen = 0
  !$omp parallel
  !$omp sections
  !$omp section
  seen(1) = seen(1) + 1
  !$omp section
  seen(2) = seen(2) + 1
  !$omp section
  seen(3) = seen(3) + 1
  !$omp end sections nowait
  !$omp single
  seen(4) = seen(4) + 1
  !$omp end single
  !$omp workshare
  times = times + 1
  !$omp end workshare
  !$omp end parallel
  call check(all(seen == 1), 'sections and single')
  call check(all(times(2:n:2) == 3), 'workshare')
  next = 0
  !$omp parallel do schedule(dynamic)
  do i = n, n - last
    !$omp atomic
    next = next + 1
  end do
  call check(next == 0, 'an empty loop')
  call verdict()
end program loops
