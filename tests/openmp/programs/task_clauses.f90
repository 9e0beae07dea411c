! The clauses of tasks and taskloops in Fortran: depend in all its forms, priority, final, if, mergeable, untied; reductions of tasks.
program task_clauses
  use checking
  use omp_lib
  implicit none
  type range
    integer :: least, most
  end type range
  !$omp declare reduction(span: range: omp_out = range(min(omp_out%least, omp_in%least), max(omp_out%most, omp_in%most))) &
  !$omp   initializer(omp_priv = range(1000, -1000))
  integer :: round
  do round = 1, 10
    call kinds_of_dependence()
    call iterators()
    call objects()
    call waits()
    call how_they_are_executed()
    call reductions()
    call loops()
  end do
  call verdict()
contains
  subroutine kinds_of_dependence()
    integer :: value, readers, i, before
    value = 0; readers = 0
    !$omp parallel
    !$omp single
    do i = 1, 10
      !$omp task depend(out: value) shared(value, readers) firstprivate(i)
      call check(readers == 3 * (i - 1), 'a writer before the readers')
      value = i
      !$omp end task
      do before = 1, 3
        !$omp task depend(in: value) shared(value, readers) firstprivate(i)
        call check(value == i, 'a reader after its writer')
        !$omp atomic
        readers = readers + 1
        !$omp end task
      end do
    end do
    do i = 1, 10
      !$omp task depend(mutexinoutset: value) private(before) shared(value)
      before = value
      !$omp taskyield
      value = before + 1
      !$omp end task
    end do
    !$omp task depend(inout: value) shared(value)
    call check(value == 20, 'mutexinoutset')
    !$omp end task
    !$omp end single
    !$omp end parallel
  end subroutine kinds_of_dependence

  ! gfortran 12 takes the end of an iterator's range to be outside of it.
  subroutine iterators()
    integer :: field(9), total, i, k
    field = 0; total = 0
    !$omp parallel
    !$omp single
    do i = 1, 8
      !$omp task depend(out: field(i)) shared(field) firstprivate(i)
      field(i) = i
      !$omp end task
    end do
    !$omp task depend(iterator(integer :: k = 2:9:2), inout: field(k)) shared(field, total) private(k)
    do k = 2, 8, 2
      total = total + field(k)
      field(k) = 0
    end do
    !$omp end task
    !$omp taskwait depend(iterator(k = 1:9), in: field(k))
    call check(total == 20 .and. sum(field) == 16, 'an iterator')
    !$omp end single
    !$omp end parallel
  end subroutine iterators

  subroutine objects()
    integer(omp_depend_kind) :: first, second
    integer :: a, b
    a = 0; b = 0
    !$omp parallel
    !$omp single
    !$omp depobj(first) depend(in: a)
    !$omp depobj(second) depend(inout: b)
    !$omp depobj(first) update(out)
    !$omp task depend(depobj: first) depend(depobj: second) shared(a, b)
    a = 1
    b = 2
    !$omp end task
    !$omp depobj(first) update(in)
    !$omp task depend(depobj: first) depend(inout: b) shared(a, b)
    call check(a == 1 .and. b == 2, 'depend objects')
    b = a + b
    !$omp end task
    !$omp depobj(first) destroy
    !$omp depobj(second) destroy
    !$omp taskwait
    !$omp end single
    !$omp end parallel
    call check(b == 3, 'depend objects that are destroyed')
  end subroutine objects

  subroutine waits()
    integer :: a, b, seen
    a = 0; b = 0; seen = 0
    !$omp parallel
    !$omp single
    !$omp task depend(out: a) shared(a)
    a = 1
    !$omp end task
    !$omp task depend(out: b) shared(b)
    b = 1
    !$omp end task
    !$omp taskwait depend(in: a)
    call check(a == 1, 'taskwait depend')
    !$omp task depend(in: b) if(.false.) shared(b, seen)
    seen = b
    !$omp end task
    call check(seen == 1, 'an undeferred task that depends on another')
    !$omp end single
    !$omp end parallel
  end subroutine waits

  subroutine how_they_are_executed()
    integer :: done, who, i
    done = 0
    !$omp parallel private(who)
    !$omp single
    who = omp_get_thread_num()
    !$omp task final(.true.) mergeable shared(done)
    call check(omp_in_final(), 'final')
    !$omp task shared(done)
    call check(omp_in_final(), 'below a final task')
    done = 1
    !$omp end task
    call check(done == 1, 'an included task')
    !$omp end task
    !$omp taskwait
    !$omp task if(.false.) firstprivate(who) shared(done)
    call check(omp_get_thread_num() == who, 'an undeferred task')
    done = 2
    !$omp end task
    call check(done == 2, 'an undeferred task is complete')
    !$omp taskgroup
    do i = 1, 10
      !$omp task untied mergeable priority(i) shared(done)
      !$omp taskyield
      !$omp atomic
      done = done + 1
      !$omp end task
    end do
    !$omp end taskgroup
    call check(done == 12, 'untied')
    !$omp end single
    !$omp end parallel
  end subroutine how_they_are_executed

  subroutine reductions()
    integer :: total, field(4), i
    type(range) :: seen
    total = 5; field = 1; seen = range(50, 50)
    !$omp parallel
    !$omp single
    !$omp taskgroup task_reduction(+: total, field)
    do i = 1, 40
      !$omp task in_reduction(+: total, field) firstprivate(i)
      total = total + i
      field(1 + mod(i, 4)) = field(1 + mod(i, 4)) + 1
      !$omp end task
    end do
    !$omp end taskgroup
    call check(total == 825 .and. all(field == 11), 'task_reduction')
    !$omp taskloop reduction(span: seen) num_tasks(7)
    do i = 1, 40
      seen = range(min(seen%least, 2 * i), max(seen%most, 2 * i))
    end do
    !$omp end taskloop
    call check(seen%least == 2 .and. seen%most == 80, 'a declared reduction')
    !$omp end single
    !$omp end parallel
    total = 0
    !$omp parallel reduction(task, +: total)
    !$omp task in_reduction(+: total)
    total = total + 1
    !$omp end task
    !$omp end parallel
    call check(total == omp_get_max_threads(), 'a reduction with the task modifier')
  end subroutine reductions

  subroutine loops()
    integer :: times(10, 20), left, i, j
    integer(8) :: long
    integer :: met
    times = 0; met = 0; left = 0
    !$omp parallel
    !$omp single
    !$omp taskloop collapse(2) grainsize(strict: 7) shared(times) priority(1)
    do i = 1, 10
      do j = 1, 20
        times(i, j) = times(i, j) + 1
      end do
    end do
    !$omp end taskloop
    call check(all(times == 1), 'collapse')
    !$omp taskgroup
    !$omp taskloop nogroup num_tasks(strict: 5) shared(times) private(j) untied
    do i = 10, 1, -1
      times(i, :) = times(i, :) + i
    end do
    !$omp end taskloop
    !$omp end taskgroup
    call check(all(times(4, :) == 5), 'nogroup')
    !$omp taskloop lastprivate(left) num_tasks(6) final(.true.)
    do i = 1, 30
      left = i
    end do
    !$omp end taskloop
    call check(left == 30, 'lastprivate')
    !$omp taskloop reduction(+: met) num_tasks(9)
    do long = 9000000000_8, 9000000000_8 - 700, -7
      met = met + 1
    end do
    !$omp end taskloop
    call check(met == 101, 'long bounds')
    !$omp end single
    !$omp end parallel
  end subroutine loops
end program task_clauses
