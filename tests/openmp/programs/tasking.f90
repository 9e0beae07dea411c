! Tasks in Fortran: trees, dependences, taskloops, groups.
program tasking
  use checking
  use omp_lib
  implicit none
  integer :: i, tree, chain, done, times(200), sums
  chain = 0; done = 0; times = 0; sums = 0; tree = 0
  !$omp parallel
  !$omp single
  tree = fibonacci(12)
  do i = 1, 50
    !$omp task depend(inout: chain) firstprivate(i) shared(chain)
    if (chain == i - 1) chain = i
    !$omp end task
  end do
  !$omp taskgroup
  do i = 1, 20
    !$omp task shared(done)
    !$omp atomic
    done = done + 1
    !$omp end task
  end do
  !$omp end taskgroup
  call check(done == 20, 'taskgroup')
  !$omp taskwait
  call check(chain == 50, 'depend')
  !$omp taskloop grainsize(7) shared(times)
  do i = 1, 200
    times(i) = times(i) + 1
  end do
  !$omp end taskloop
  call check(all(times == 1), 'taskloop')
  !$omp taskloop reduction(+: sums) num_tasks(9)
  do i = 1, 100
    sums = sums + i
  end do
  !$omp end taskloop
  !$omp end single
  !$omp end parallel
  call check(tree == 144, 'a tree of tasks')
  call check(sums == 5050, 'taskloop with a reduction')
  call verdict()
contains
  recursive integer function fibonacci(n) result(value)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
      value = n
      return
    end if
    !$omp task shared(a)
    a = fibonacci(n - 1)
    !$omp end task
    !$omp task shared(b)
    b = fibonacci(n - 2)
    !$omp end task
    !$omp taskwait
    value = a + b
  end function fibonacci
end program tasking
