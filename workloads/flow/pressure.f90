! The pressure's equation, A phi = f, by conjugate gradients with a preconditioner. A is minus the five-point Laplacian times
! h**2; no flow through a wall means that its face has no term. A has constants in its null space, and f has no part in it.
module pressure
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use exact_sums  ! all of it: with a list gfortran 12 fails on the reduction
  use meshes, only: mesh, make_field
  use overlaps, only: overlap, fill_overlap
  use schwarz, only: make_subdomains, precondition, subdomains
  use totals, only: take_total, total
  implicit none
  private
  public :: make_solver, solve, solver

  integer, parameter :: most_iterations = 2000

  type :: solver
    type(subdomains) :: inside
    real(dp), allocatable, dimension(:, :, :) :: r, z, p, q
  end type

  interface  ! BLAS
    subroutine daxpy(n, a, x, incx, y, incy)
      import :: dp
      integer, intent(in) :: n, incx, incy
      real(dp), intent(in) :: a, x(*)
      real(dp), intent(inout) :: y(*)
    end subroutine
  end interface

contains

  function make_solver(m) result(s)
    type(mesh), intent(in) :: m
    type(solver) :: s
    s%inside = make_subdomains(m)
    call make_field(m, s%r)
    call make_field(m, s%z)
    call make_field(m, s%p)
    call make_field(m, s%q)
  end function

  !> From what phi is, until the residual's root mean square is at most `limit`. All threads call it, and have the number of
  !> iterations, -1 if they were too many. The overlap of phi is filled.
  subroutine solve(m, o, s, f, limit, phi, iterations)
    type(mesh), intent(in) :: m
    type(overlap), intent(inout) :: o
    type(solver), intent(inout) :: s
    real(dp), intent(in), contiguous :: f(m%low:, m%low:, m%first:)
    real(dp), intent(in) :: limit
    real(dp), intent(inout), contiguous :: phi(m%low:, m%low:, m%first:)
    integer, intent(out) :: iterations
    real(dp) :: rr, rz, rz_before, pq, alpha, beta
    integer :: b, j
    call fill_overlap(m, o, phi)
    !$omp do collapse(2) reduction(+:total)
    do b = m%first, m%last
      do j = 1, m%edge
        call apply(m, b, j, phi(:, :, b), s%r(1:m%edge, j, b))
        s%r(1:m%edge, j, b) = f(1:m%edge, j, b) - s%r(1:m%edge, j, b)
        call add(total, dot_product(s%r(1:m%edge, j, b), s%r(1:m%edge, j, b)))
      end do
    end do
    !$omp end do
    call take_total(rr)
    rz_before = 0
    do iterations = 0, most_iterations
      if (rr <= (limit * m%cells)**2) exit
      call precondition(m, o, s%inside, s%r, s%z)
      call inner_product(m, s%r, s%z, rz)
      beta = 0
      if (iterations > 0) beta = rz / rz_before
      rz_before = rz
      !$omp do collapse(2)
      do b = m%first, m%last
        do j = 1, m%edge
          s%p(1:m%edge, j, b) = s%z(1:m%edge, j, b) + beta * s%p(1:m%edge, j, b)
        end do
      end do
      !$omp end do
      call fill_overlap(m, o, s%p)
      !$omp do collapse(2) reduction(+:total)
      do b = m%first, m%last
        do j = 1, m%edge
          call apply(m, b, j, s%p(:, :, b), s%q(1:m%edge, j, b))
          call add(total, dot_product(s%p(1:m%edge, j, b), s%q(1:m%edge, j, b)))
        end do
      end do
      !$omp end do
      call take_total(pq)
      alpha = rz / pq
      !$omp do collapse(2) reduction(+:total)
      do b = m%first, m%last
        do j = 1, m%edge
          call daxpy(m%edge, alpha, s%p(1:m%edge, j, b), 1, phi(1:m%edge, j, b), 1)
          call daxpy(m%edge, -alpha, s%q(1:m%edge, j, b), 1, s%r(1:m%edge, j, b), 1)
          call add(total, dot_product(s%r(1:m%edge, j, b), s%r(1:m%edge, j, b)))
        end do
      end do
      !$omp end do
      call take_total(rr)
      if (rr /= rr) exit  ! no number any more
    end do
    if (.not. rr <= (limit * m%cells)**2) iterations = -1
    call fill_overlap(m, o, phi)
  end subroutine

  !> BLAS's dot product may add in an order that depends on where the vectors lie; this one's order is that of the row.
  subroutine inner_product(m, x, y, product)
    type(mesh), intent(in) :: m
    real(dp), intent(in), contiguous :: x(m%low:, m%low:, m%first:), y(m%low:, m%low:, m%first:)
    real(dp), intent(out) :: product
    integer :: b, j
    !$omp do collapse(2) reduction(+:total)
    do b = m%first, m%last
      do j = 1, m%edge
        call add(total, dot_product(x(1:m%edge, j, b), y(1:m%edge, j, b)))
      end do
    end do
    !$omp end do
    call take_total(product)
  end subroutine

  !> Row j of A x in block b.
  pure subroutine apply(m, b, j, x, row)
    type(mesh), intent(in) :: m
    integer, intent(in) :: b, j
    real(dp), intent(in), contiguous :: x(m%low:, m%low:)
    real(dp), intent(out), contiguous :: row(:)
    integer :: i
    do i = 1, m%edge
      row(i) = m%open_x(i - 1, b) * (x(i, j) - x(i - 1, j)) + m%open_x(i, b) * (x(i, j) - x(i + 1, j)) &
               + m%open_y(j - 1, b) * (x(i, j) - x(i, j - 1)) + m%open_y(j, b) * (x(i, j) - x(i, j + 1))
    end do
  end subroutine

end module pressure
