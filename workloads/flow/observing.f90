! What is seen of a flow: energies, a digest, profiles. All of it has the same digits for any number of threads and processes.
module observing
  use, intrinsic :: iso_fortran_env, only: dp => real64, int64
  use exact_sums  ! all of it: with a list gfortran 12 fails on the reduction
  use flows, only: flow
  use totals, only: take_total, total
  use world, only: world_sum
  implicit none
  private
  public :: digest, interpolated, kinetic_energy, profile_of_u, profile_of_v

contains

  !> For a unit of mass, of the motion relative to a mean one. All threads call it.
  subroutine kinetic_energy(fl, mean, energy)
    type(flow), intent(in) :: fl
    real(dp), intent(in) :: mean(2)
    real(dp), intent(out) :: energy
    integer :: b, j
    !$omp do collapse(2) reduction(+:total)
    do b = fl%m%first, fl%m%last
      do j = 1, fl%m%edge
        call add(total, sum((fl%u(1:fl%m%edge, j, b) - mean(1))**2 + (fl%v(1:fl%m%edge, j, b) - mean(2))**2))
      end do
    end do
    !$omp end do
    call take_total(energy)
    energy = energy / (2 * real(fl%m%cells, dp)**2)
  end subroutine

  !> Of all bits of the velocities and the pressure. One thread calls it, in each process.
  integer(int64) function digest(fl)
    type(flow), intent(in) :: fl
    integer(int64) :: by_block(fl%m%blocks**2)
    integer :: b, j
    by_block = 0
    do b = fl%m%first, fl%m%last
      do j = 1, fl%m%edge
        call take(by_block(b), fl%u(1:fl%m%edge, j, b))
        call take(by_block(b), fl%v(1:fl%m%edge, j, b))
        call take(by_block(b), fl%p(1:fl%m%edge, j, b))
      end do
    end do
    call world_sum(by_block)
    digest = 0
    do b = 1, size(by_block)
      digest = ieor(ishftc(digest, 7), by_block(b))
    end do

  contains

    pure subroutine take(hash, row)
      integer(int64), intent(inout) :: hash
      real(dp), intent(in) :: row(:)
      integer :: i
      do i = 1, size(row)
        hash = ieor(ishftc(hash, 7), transfer(row(i), hash))
      end do
    end subroutine

  end function

  !> u on the vertical line through the centre, in each row of cells. One thread calls it, in each process.
  function profile_of_u(fl) result(profile)
    type(flow), intent(in) :: fl
    real(dp) :: profile(fl%m%cells)
    integer :: b, i
    profile = 0
    do b = fl%m%first, fl%m%last
      i = fl%m%cells / 2 - fl%m%column(b)  ! its east face is on the line
      if (i < 1 .or. i > fl%m%edge) cycle
      profile(fl%m%row(b) + 1:fl%m%row(b) + fl%m%edge) = fl%u(i, 1:fl%m%edge, b)
    end do
    call world_sum(profile)
  end function

  !> v on the horizontal line.
  function profile_of_v(fl) result(profile)
    type(flow), intent(in) :: fl
    real(dp) :: profile(fl%m%cells)
    integer :: b, j
    profile = 0
    do b = fl%m%first, fl%m%last
      j = fl%m%cells / 2 - fl%m%row(b)
      if (j < 1 .or. j > fl%m%edge) cycle
      profile(fl%m%column(b) + 1:fl%m%column(b) + fl%m%edge) = fl%v(1:fl%m%edge, j, b)
    end do
    call world_sum(profile)
  end function

  !> A profile from 0 to 1, with its values at both walls, by the cubic through the four nearest nodes.
  pure real(dp) function interpolated(profile, walls, at)
    real(dp), intent(in) :: profile(:), walls(2), at
    real(dp) :: nodes(0:size(profile) + 1), values(0:size(profile) + 1), weight
    integer :: first, i, k, n
    n = size(profile)
    nodes = [0.0_dp, [((i - 0.5_dp) / n, i = 1, n)], 1.0_dp]
    values = [walls(1), profile, walls(2)]
    first = max(0, min(n - 2, count(nodes <= at) - 2))
    interpolated = 0
    do i = first, first + 3
      weight = 1
      do k = first, first + 3
        if (k /= i) weight = weight * (at - nodes(k)) / (nodes(i) - nodes(k))
      end do
      interpolated = interpolated + weight * values(i)
    end do
  end function

end module observing
