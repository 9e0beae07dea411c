! The processes of the program, over MPI. All of it is called by the master thread alone (MPI_THREAD_FUNNELED).
module world
  use, intrinsic :: iso_fortran_env, only: dp => real64, int64, error_unit
  use mpi_f08
  implicit none
  private
  public :: world_begin, world_end, world_sum, world_max, world_trade

  integer, protected, public :: rank = 0, processes = 1

  interface world_sum
    module procedure sum_whole, sum_real
  end interface

contains

  subroutine world_begin()
    integer :: provided
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, processes)
    if (provided < MPI_THREAD_FUNNELED) then
      if (rank == 0) write (error_unit, '(a)') "flow: this MPI has no support for threads (MPI_THREAD_FUNNELED)"
      call world_end(2)
    end if
  end subroutine

  !> Ends the program.
  subroutine world_end(status)
    integer, intent(in) :: status
    call MPI_Finalize()
    stop status, quiet=.true.
  end subroutine

  !> Each element over all processes.
  subroutine sum_whole(values)
    integer(int64), intent(inout), contiguous :: values(:)
    call MPI_Allreduce(MPI_IN_PLACE, values, size(values), MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  end subroutine

  subroutine sum_real(values)
    real(dp), intent(inout), contiguous :: values(:)
    call MPI_Allreduce(MPI_IN_PLACE, values, size(values), MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end subroutine

  subroutine world_max(value)
    real(dp), intent(inout) :: value
    call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  end subroutine

  !> Message m goes to process `peer(m)` and is the one that this expects as `sent(m)`; as many come back, as `wanted(m)`.
  subroutine world_trade(peer, sent, wanted, outgoing, incoming)
    integer, intent(in) :: peer(:), sent(:), wanted(:)
    real(dp), intent(in), contiguous, asynchronous :: outgoing(:, :)
    real(dp), intent(inout), contiguous, asynchronous :: incoming(:, :)
    type(MPI_Request) :: requests(2 * size(peer))
    integer :: m, length
    length = size(outgoing, 1)
    do m = 1, size(peer)
      call MPI_Irecv(incoming(:, m), length, MPI_DOUBLE_PRECISION, peer(m), wanted(m), MPI_COMM_WORLD, requests(2 * m - 1))
    end do
    do m = 1, size(peer)
      call MPI_Isend(outgoing(:, m), length, MPI_DOUBLE_PRECISION, peer(m), sent(m), MPI_COMM_WORLD, requests(2 * m))
    end do
    call MPI_Waitall(size(requests), requests, MPI_STATUSES_IGNORE)
  end subroutine

end module world
