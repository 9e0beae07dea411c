! Fortran's three bindings, each with its own symbol for the barrier: -DBINDING=1 mpif.h, 2 `use mpi`, 3 `use mpi_f08`.
program passes
#if BINDING == 2
  use mpi
#elif BINDING == 3
  use mpi_f08
#endif
  use iso_fortran_env, only: int64
  implicit none
#if BINDING == 1
  include 'mpif.h'
#endif
  integer :: rank, error
#if BINDING == 3
  type(MPI_Comm) :: half
#else
  integer :: half
#endif

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call keep(MPI_COMM_WORLD)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
  call keep(half)
#if BINDING == 3
  call MPI_Barrier(half)
#endif
  call MPI_Comm_free(half, error)
  if (rank == 0) print '(a)', 'kept'
  call MPI_Finalize(error)

contains

  ! No process leaves an episode before all have arrived, by the clock that the processes of one machine share.
  subroutine keep(comm)
#if BINDING == 3
    type(MPI_Comm), intent(in) :: comm
#else
    integer, intent(in) :: comm
#endif
    integer :: episode, code
    integer(int64) :: came, left, last, first
    do episode = 1, 10
      call system_clock(came)
      code = -1
      call MPI_Barrier(comm, code)
      call system_clock(left)
      call MPI_Allreduce(came, last, 1, MPI_INTEGER8, MPI_MAX, comm, error)
      call MPI_Allreduce(left, first, 1, MPI_INTEGER8, MPI_MIN, comm, error)
      if (code /= MPI_SUCCESS .or. first < last) call MPI_Abort(MPI_COMM_WORLD, 1, error)
    end do
  end subroutine

end program
