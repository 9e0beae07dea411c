! The constructs in Fortran, each as its user writes it. `count` directives for each call, as in C (construct.h).
! What Fortran has otherwise than C: DO and PARALLEL DO for the loops, WORKSHARE.
module weir_fortran
  use, intrinsic :: iso_c_binding, only: c_long
  use omp_lib
  implicit none
  private

  interface
    subroutine delay() bind(c, name="weir_delay")
    end subroutine
  end interface
  integer(c_long), parameter :: iterations = 1024

contains

  subroutine parallel(count, unused) bind(c, name="weir_f_parallel")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    do j = 1, count
      !$omp parallel
      call delay()
      !$omp end parallel
    end do
  end subroutine

  subroutine do_loop(count, unused) bind(c, name="weir_f_do")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    integer :: i
    !$omp parallel private(j)
    do j = 1, count
      !$omp do
      do i = 1, omp_get_num_threads()
        call delay()
      end do
      !$omp end do
    end do
    !$omp end parallel
  end subroutine

  subroutine parallel_do(count, unused) bind(c, name="weir_f_parallel_do")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    integer :: i, threads
    threads = omp_get_max_threads()
    do j = 1, count
      !$omp parallel do
      do i = 1, threads
        call delay()
      end do
      !$omp end parallel do
    end do
  end subroutine

  subroutine barrier(count, unused) bind(c, name="weir_f_barrier")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    !$omp parallel private(j)
    do j = 1, count
      call delay()
      !$omp barrier
    end do
    !$omp end parallel
  end subroutine

  subroutine single(count, unused) bind(c, name="weir_f_single")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    !$omp parallel private(j)
    do j = 1, count
      !$omp single
      call delay()
      !$omp end single
    end do
    !$omp end parallel
  end subroutine

  subroutine copyprivate(count, unused) bind(c, name="weir_f_copyprivate")
    integer(c_long), value :: count, unused
    integer(c_long) :: j, value
    !$omp parallel private(j, value)
    do j = 1, count
      !$omp single
      call delay()
      value = j
      !$omp end single copyprivate(value)
      if (value /= j) call delay()
    end do
    !$omp end parallel
  end subroutine

  subroutine master(count, unused) bind(c, name="weir_f_master")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    !$omp parallel private(j)
    do j = 1, count
      !$omp master
      call delay()
      !$omp end master
    end do
    !$omp end parallel
  end subroutine

  subroutine workshare(count, unused) bind(c, name="weir_f_workshare")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    real(8) :: a(64)
    a = 0
    !$omp parallel private(j)
    do j = 1, count
      call delay()
      !$omp workshare
      a = a + 1
      !$omp end workshare
    end do
    !$omp end parallel
    if (a(1) < 0) call delay()
  end subroutine

  subroutine reduction(count, unused) bind(c, name="weir_f_reduction")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    real(8) :: total
    total = 0
    do j = 1, count
      !$omp parallel reduction(+:total)
      call delay()
      total = total + 1
      !$omp end parallel
    end do
    if (total < 0) call delay()
  end subroutine

  subroutine critical(count, unused) bind(c, name="weir_f_critical")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    !$omp parallel private(j)
    do j = 1, count / omp_get_num_threads()
      !$omp critical
      call delay()
      !$omp end critical
    end do
    !$omp end parallel
  end subroutine

  subroutine lock(count, unused) bind(c, name="weir_f_lock")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    integer(omp_lock_kind) :: it
    call omp_init_lock(it)
    !$omp parallel private(j)
    do j = 1, count / omp_get_num_threads()
      call omp_set_lock(it)
      call delay()
      call omp_unset_lock(it)
    end do
    !$omp end parallel
    call omp_destroy_lock(it)
  end subroutine

  subroutine atomic(count, unused) bind(c, name="weir_f_atomic")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    real(8) :: total
    total = 0
    !$omp parallel private(j)
    do j = 1, count / omp_get_num_threads()
      !$omp atomic
      total = total + 1
    end do
    !$omp end parallel
    if (total < 0) call delay()
  end subroutine

  subroutine ordered(count, unused) bind(c, name="weir_f_ordered")
    integer(c_long), value :: count, unused
    integer(c_long) :: j
    !$omp parallel do ordered schedule(static, 1)
    do j = 1, count
      !$omp ordered
      call delay()
      !$omp end ordered
    end do
    !$omp end parallel do
  end subroutine

  subroutine schedule_static(count, unused) bind(c, name="weir_f_schedule_static")
    integer(c_long), value :: count, unused
    integer(c_long) :: i, j
    !$omp parallel private(j)
    do j = 1, count
      !$omp do schedule(static)
      do i = 1, iterations * omp_get_num_threads()
        call delay()
      end do
    end do
    !$omp end parallel
  end subroutine

  subroutine schedule_static_n(count, chunk) bind(c, name="weir_f_schedule_static_n")
    integer(c_long), value :: count, chunk
    integer(c_long) :: i, j
    !$omp parallel private(j)
    do j = 1, count
      !$omp do schedule(static, chunk)
      do i = 1, iterations * omp_get_num_threads()
        call delay()
      end do
    end do
    !$omp end parallel
  end subroutine

  subroutine schedule_dynamic_n(count, chunk) bind(c, name="weir_f_schedule_dynamic_n")
    integer(c_long), value :: count, chunk
    integer(c_long) :: i, j
    !$omp parallel private(j)
    do j = 1, count
      !$omp do schedule(dynamic, chunk)
      do i = 1, iterations * omp_get_num_threads()
        call delay()
      end do
    end do
    !$omp end parallel
  end subroutine

  subroutine schedule_guided_n(count, chunk) bind(c, name="weir_f_schedule_guided_n")
    integer(c_long), value :: count, chunk
    integer(c_long) :: i, j
    !$omp parallel private(j)
    do j = 1, count
      !$omp do schedule(guided, chunk)
      do i = 1, iterations * omp_get_num_threads()
        call delay()
      end do
    end do
    !$omp end parallel
  end subroutine

end module
