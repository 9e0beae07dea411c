! Additive Schwarz (Dryja and Widlund 1987): the block's cells are divided into subdomains of about 8 by 8, each extended by
! the overlap; all are solved at the same time, each by its Cholesky factor, and their solutions are added. The preconditioner
! is symmetric and positive definite, as conjugate gradients need it.
module schwarz
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use meshes, only: mesh, west, east, south, north
  use overlaps, only: overlap, add_overlap, fill_overlap
  implicit none
  private
  public :: subdomains, make_subdomains, precondition

  integer, parameter :: largest_edge = 8

  type :: subdomain
    integer :: west, east, south, north  ! its first and last columns and rows, in its block's numbers
  end type

  type :: subdomains
    integer :: each                             ! how many a block has
    type(subdomain), allocatable :: at(:, :)    ! (subdomain, block)
    real(dp), allocatable :: factor(:, :, :, :) ! LAPACK's lower band, (1 + band, unknowns, subdomain, block)
    ! An even number of unknowns for each: some BLAS add in another order where a vector is not at a multiple of 16 bytes.
    real(dp), allocatable :: solution(:, :, :)  ! (unknowns, subdomain, block)
  end type

  interface  ! LAPACK
    subroutine dpbtrf(uplo, n, kd, ab, ldab, info)
      import :: dp
      character, intent(in) :: uplo
      integer, intent(in) :: n, kd, ldab
      real(dp), intent(inout) :: ab(ldab, *)
      integer, intent(out) :: info
    end subroutine
    subroutine dpbtrs(uplo, n, kd, nrhs, ab, ldab, b, ldb, info)
      import :: dp
      character, intent(in) :: uplo
      integer, intent(in) :: n, kd, nrhs, ldab, ldb
      real(dp), intent(in) :: ab(ldab, *)
      real(dp), intent(inout) :: b(ldb, *)
      integer, intent(out) :: info
    end subroutine
  end interface

contains

  function make_subdomains(m) result(s)
    type(mesh), intent(in) :: m
    type(subdomains) :: s
    integer :: pieces, b, x, y, width, info
    pieces = (m%edge + largest_edge - 1) / largest_edge
    if (m%blocks * pieces == 1) pieces = 2  ! a subdomain of all cells within walls would be singular
    s%each = pieces**2
    allocate (s%at(s%each, m%first:m%last))
    do b = m%first, m%last
      do y = 0, pieces - 1
        do x = 0, pieces - 1
          associate (its => s%at(y * pieces + x + 1, b))
            its%west = extended(m%edge * x / pieces + 1, -m%layers, m%neighbour(west, b))
            its%east = extended(m%edge * (x + 1) / pieces, m%layers, m%neighbour(east, b))
            its%south = extended(m%edge * y / pieces + 1, -m%layers, m%neighbour(south, b))
            its%north = extended(m%edge * (y + 1) / pieces, m%layers, m%neighbour(north, b))
          end associate
        end do
      end do
    end do
    width = largest_edge + 2 * m%layers
    allocate (s%factor(1 + width, width**2, s%each, m%first:m%last), s%solution(width**2, s%each, m%first:m%last), source=0.0_dp)
    do b = m%first, m%last
      do x = 1, s%each
        associate (its => s%at(x, b))
          width = its%east - its%west + 1
          call assemble(m, b, its, s%factor(:, :, x, b))
          call dpbtrf('L', width * (its%north - its%south + 1), width, s%factor(1, 1, x, b), size(s%factor, 1), info)
          if (info /= 0) error stop "flow: a subdomain's matrix is not positive definite"
        end associate
      end do
    end do

  contains

    !> Not through walls.
    pure integer function extended(bound, by, neighbour)
      integer, intent(in) :: bound, by, neighbour
      extended = bound + by
      if (neighbour == 0) extended = max(1, min(m%edge, extended))
    end function

  end function

  !> The rows and columns of the pressure's matrix that belong to the subdomain's cells.
  subroutine assemble(m, b, its, band)
    type(mesh), intent(in) :: m
    integer, intent(in) :: b
    type(subdomain), intent(in) :: its
    real(dp), intent(out) :: band(:, :)
    integer :: i, j, k, width
    width = its%east - its%west + 1
    band = 0
    k = 0
    do j = its%south, its%north
      do i = its%west, its%east
        k = k + 1
        band(1, k) = 4 - count([i == 1, i == m%edge, j == 1, j == m%edge] .and. m%neighbour(:, b) == 0)
        if (i < its%east) band(2, k) = -1
        if (j < its%north) band(1 + width, k) = -1
      end do
    end do
  end subroutine

  !> z = M r. All threads call it. The overlap of r is filled, that of z is not.
  subroutine precondition(m, o, s, r, z)
    type(mesh), intent(in) :: m
    type(overlap), intent(inout) :: o
    type(subdomains), intent(inout) :: s
    real(dp), intent(inout), contiguous :: r(m%low:, m%low:, m%first:), z(m%low:, m%low:, m%first:)
    integer :: b, j, k, first, width, unknowns, info
    call fill_overlap(m, o, r)
    !$omp do collapse(2)
    do b = m%first, m%last
      do k = 1, s%each
        associate (its => s%at(k, b))
          width = its%east - its%west + 1
          unknowns = width * (its%north - its%south + 1)
          s%solution(:unknowns, k, b) = reshape(r(its%west:its%east, its%south:its%north, b), [unknowns])
          call dpbtrs('L', unknowns, width, 1, s%factor(1, 1, k, b), size(s%factor, 1), s%solution(1, k, b), &
                      size(s%solution, 1), info)
        end associate
      end do
    end do
    !$omp end do
    ! Each row takes its part of all solutions in their order, so that no two threads add to a cell.
    !$omp do collapse(2)
    do b = m%first, m%last
      do j = m%low, m%high
        z(:, j, b) = 0
        do k = 1, s%each
          associate (its => s%at(k, b))
            if (j < its%south .or. j > its%north) cycle
            width = its%east - its%west + 1
            first = width * (j - its%south) + 1
            z(its%west:its%east, j, b) = z(its%west:its%east, j, b) + s%solution(first:first + width - 1, k, b)
          end associate
        end do
      end do
    end do
    !$omp end do
    call add_overlap(m, o, z)
  end subroutine

end module schwarz
