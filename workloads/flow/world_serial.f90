! The processes of the program: here the only one. world_mpi.f90 has the same module for several.
module world
  use, intrinsic :: iso_fortran_env, only: dp => real64, int64
  implicit none
  private
  public :: world_begin, world_end, world_sum, world_max, world_trade

  integer, parameter, public :: rank = 0, processes = 1

  interface world_sum
    module procedure sum_whole, sum_real
  end interface

contains

  subroutine world_begin()
  end subroutine

  !> Ends the program.
  subroutine world_end(status)
    integer, intent(in) :: status
    stop status, quiet=.true.
  end subroutine

  !> Each element over all processes.
  subroutine sum_whole(values)
    integer(int64), intent(inout) :: values(:)
  end subroutine

  subroutine sum_real(values)
    real(dp), intent(inout) :: values(:)
  end subroutine

  subroutine world_max(value)
    real(dp), intent(inout) :: value
  end subroutine

  !> Message m goes to process `peer(m)` and is the one that this expects as `sent(m)`; as many come back, as `wanted(m)`.
  subroutine world_trade(peer, sent, wanted, outgoing, incoming)
    integer, intent(in) :: peer(:), sent(:), wanted(:)
    real(dp), intent(in), contiguous :: outgoing(:, :)
    real(dp), intent(inout), contiguous :: incoming(:, :)
    if (size(peer) > 0) error stop "flow: a message to another process, where there is none"
  end subroutine

end module world
