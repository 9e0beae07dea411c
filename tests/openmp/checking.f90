! What the Fortran programs share, as check.h is for C.
module checking
  implicit none
  private
  public :: check, verdict
  integer :: bad = 0
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    !$omp atomic
    bad = bad + 1
    print '(2a)', 'wrong: ', what
  end subroutine check

  ! The end of each.
  subroutine verdict()
    if (bad > 0) stop 1
    print '(a)', 'ok'
  end subroutine verdict
end module checking
