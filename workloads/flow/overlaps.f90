! Between blocks: each fills its overlap with what its neighbours have there, or adds its overlap to what they have. Blocks of
! one process copy; those of others send. First over the sides in x, then in y with the corners.
module overlaps
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use meshes, only: mesh, opposite, owner, west, east, south, north
  use world, only: world_trade
  implicit none
  private
  public :: overlap, make_overlap, fill_overlap, add_overlap

  type :: messages
    integer, allocatable :: slot(:, :)                           ! (side, block): which message is for that side, or 0
    integer, allocatable :: peer(:), sent(:), wanted(:)          ! of each message: process and tags
    real(dp), allocatable :: outgoing(:, :), incoming(:, :)
  end type

  type :: overlap
    type(messages) :: along(2)  ! x, y
  end type

  integer, parameter :: sides(2, 2) = reshape([west, east, south, north], [2, 2])

contains

  function make_overlap(m) result(o)
    type(mesh), intent(in) :: m
    type(overlap) :: o
    integer :: axis, b, k, side, count, other
    do axis = 1, 2
      associate (its => o%along(axis))
        allocate (its%slot(4, m%first:m%last), source=0)
        allocate (its%peer(0), its%sent(0), its%wanted(0))
        count = 0
        do b = m%first, m%last
          do k = 1, 2
            side = sides(k, axis)
            other = m%neighbour(side, b)
            if (other == 0 .or. m%is_here(other)) cycle
            count = count + 1
            its%slot(side, b) = count
            its%peer = [its%peer, owner(other, m%blocks**2)]
            ! A message is called by the block and the side that it is for.
            its%sent = [its%sent, 4 * other + opposite(side)]
            its%wanted = [its%wanted, 4 * b + side]
          end do
        end do
        allocate (its%outgoing(m%layers * (m%high - m%low + 1), count), its%incoming(m%layers * (m%high - m%low + 1), count), &
                  source=0.0_dp)
      end associate
    end do
  end function

  !> The cells at a side of a block, of its own or of its overlap: from and to in x, from and to in y.
  pure function strip(m, side, own) result(bounds)
    type(mesh), intent(in) :: m
    integer, intent(in) :: side
    logical, intent(in) :: own
    integer :: bounds(4), across(2)
    select case (side)
    case (west, south)
      across = merge([1, m%layers], [m%low, 0], own)
    case default
      across = merge([m%edge - m%layers + 1, m%edge], [m%edge + 1, m%high], own)
    end select
    if (side == west .or. side == east) then
      bounds = [across, 1, m%edge]
    else
      bounds = [m%low, m%high, across]
    end if
  end function

  !> All threads call it, and go on when the field has its overlap.
  subroutine fill_overlap(m, o, f)
    type(mesh), intent(in) :: m
    type(overlap), intent(inout) :: o
    real(dp), intent(inout), contiguous :: f(m%low:, m%low:, m%first:)
    integer :: axis
    do axis = 1, 2
      call pass(m, o%along(axis), sides(:, axis), .true., f)
    end do
  end subroutine

  !> The other way round, so that corners reach the block diagonally across.
  subroutine add_overlap(m, o, f)
    type(mesh), intent(in) :: m
    type(overlap), intent(inout) :: o
    real(dp), intent(inout), contiguous :: f(m%low:, m%low:, m%first:)
    integer :: axis
    do axis = 2, 1, -1
      call pass(m, o%along(axis), sides(:, axis), .false., f)
    end do
  end subroutine

  !> `fills`: from own cells to the neighbour's overlap; or else from the overlap, and what is there is added.
  subroutine pass(m, its, both, fills, f)
    type(mesh), intent(in) :: m
    type(messages), intent(inout) :: its
    integer, intent(in) :: both(2)
    logical, intent(in) :: fills
    real(dp), intent(inout), contiguous :: f(m%low:, m%low:, m%first:)
    integer :: b, k, side, other, to(4), from(4), message(4)
    !$omp do collapse(2)
    do b = m%first, m%last
      do k = 1, 2
        side = both(k)
        other = m%neighbour(side, b)
        if (other == 0) cycle
        to = strip(m, side, .not. fills)
        from = strip(m, opposite(side), fills)
        if (m%is_here(other)) then
          associate (target => f(to(1):to(2), to(3):to(4), b), source => f(from(1):from(2), from(3):from(4), other))
            if (fills) then
              target = source
            else
              target = target + source
            end if
          end associate
        else
          message = strip(m, side, fills)
          call pack_strip(f(:, :, b), message - m%low + 1, its%outgoing(:, its%slot(side, b)))
        end if
      end do
    end do
    !$omp end do
    if (size(its%peer) == 0) return
    !$omp master
    call world_trade(its%peer, its%sent, its%wanted, its%outgoing, its%incoming)
    !$omp end master
    !$omp barrier
    !$omp do collapse(2)
    do b = m%first, m%last
      do k = 1, 2
        side = both(k)
        if (its%slot(side, b) == 0) cycle
        to = strip(m, side, .not. fills)
        call unpack_strip(its%incoming(:, its%slot(side, b)), to - m%low + 1, .not. fills, f(:, :, b))
      end do
    end do
    !$omp end do
  end subroutine

  pure subroutine pack_strip(f, at, message)
    real(dp), intent(in) :: f(:, :)
    integer, intent(in) :: at(4)
    real(dp), intent(inout) :: message(:)
    integer :: j, width
    width = at(2) - at(1) + 1
    do j = at(3), at(4)
      message(width * (j - at(3)) + 1:width * (j - at(3) + 1)) = f(at(1):at(2), j)
    end do
  end subroutine

  pure subroutine unpack_strip(message, at, adds, f)
    real(dp), intent(in) :: message(:)
    integer, intent(in) :: at(4)
    logical, intent(in) :: adds
    real(dp), intent(inout) :: f(:, :)
    integer :: j, width
    width = at(2) - at(1) + 1
    do j = at(3), at(4)
      associate (target => f(at(1):at(2), j), come => message(width * (j - at(3)) + 1:width * (j - at(3) + 1)))
        if (adds) then
          target = target + come
        else
          target = come
        end if
      end associate
    end do
  end subroutine

end module overlaps
