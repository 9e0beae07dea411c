! What the program says: results on stdout, times and what is wrong on stderr, once for all processes.
module reporting
  use, intrinsic :: iso_fortran_env, only: dp => real64, error_unit, int64, output_unit
  use omp_lib, only: omp_get_max_threads, omp_get_wtime
  use world, only: processes, rank, world_sum
  implicit none
  private
  public :: check, say, say_time, stopwatch

  type :: stopwatch
    real(dp) :: wall = 0, processor = 0
  contains
    procedure :: start
  end type

contains

  subroutine say(line)
    character(*), intent(in) :: line
    if (rank == 0) write (output_unit, '(a)') trim(line)
  end subroutine

  !> False, and said so, where something does not hold.
  logical function check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (.not. holds .and. rank == 0) write (error_unit, '(2a)') 'flow: wrong: ', what
    check = holds
  end function

  subroutine start(self)
    class(stopwatch), intent(out) :: self
    self%wall = omp_get_wtime()
    call cpu_time(self%processor)
  end subroutine

  subroutine say_time(watch)
    type(stopwatch), intent(in) :: watch
    type(stopwatch) :: now
    real(dp) :: processor(1)
    call now%start()
    processor = now%processor - watch%processor
    call world_sum(processor)
    if (rank == 0) write (error_unit, '(a, i0, a, i0, 2(a, f0.4), a)') 'flow: ', processes, ' processes of ', &
      omp_get_max_threads(), ' threads, ', now%wall - watch%wall, ' s, ', processor, ' s of processors'
  end subroutine

end module reporting
