! What a team and all processes reduce to one number. A loop reduces to `total` or `greatest`, which the threads share, and
! ends with its barrier; then all threads take the result. Both are zero again for the next loop.
module totals
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use exact_sums, only: exact_sum, real_of
  use world, only: world_sum, world_max
  implicit none
  private
  public :: take_total, take_greatest

  type(exact_sum), save, public :: total
  real(dp), save, public :: greatest = 0  ! of numbers that are not negative
  real(dp), save :: result                ! written between a loop's barrier and the one below: all have read the last one

contains

  subroutine take_total(value)
    real(dp), intent(out) :: value
    !$omp master
    call world_sum(total%word)
    result = real_of(total)
    total = exact_sum()
    !$omp end master
    !$omp barrier
    value = result
  end subroutine

  subroutine take_greatest(value)
    real(dp), intent(out) :: value
    !$omp master
    call world_max(greatest)
    result = greatest
    greatest = 0
    !$omp end master
    !$omp barrier
    value = result
  end subroutine

end module totals
