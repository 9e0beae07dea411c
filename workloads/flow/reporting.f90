! What the program says: results on stdout, times and what is wrong on stderr, once for all processes.
module reporting
  use, intrinsic :: iso_fortran_env, only: dp => real64, error_unit, output_unit
  use omp_lib, only: omp_get_max_threads, omp_get_wtime
  use world, only: processes, rank, world_sum
  implicit none
  private
  public :: check, decimal, say, say_time, stopwatch

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

  !> With so many places.
  pure function decimal(value, places) result(text)
    real(dp), intent(in) :: value
    integer, intent(in) :: places
    character(:), allocatable :: text
    character(40) :: form, said
    write (form, '(a, i0, a)') '(f40.', places, ')'
    write (said, form) value
    text = trim(adjustl(said))
  end function

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
    if (rank == 0) write (error_unit, '(2(a, i0), 5a)') 'flow: processes ', processes, ' of threads ', omp_get_max_threads(), &
      ', ', decimal(now%wall - watch%wall, 4), ' s, ', decimal(processor(1), 4), ' s of processors'
  end subroutine

end module reporting
