! Sums of numbers without rounding, in fixed point: their order does not matter, so a reduction has the same digits for
! any number of threads and processes. (U. Kulisch, Computer Arithmetic and Validity, 2008, on such accumulators.)
module exact_sums
  use, intrinsic :: iso_fortran_env, only: dp => real64, int64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_quiet_nan, ieee_value
  implicit none
  private
  public :: exact_sum, add, real_of, operator(+)

  integer, parameter :: bits = 32            ! of a limb; the upper half of its word is for carries, of 2**30 additions
  integer, parameter :: limbs = 12           ! from 2**(-192), below which bits are cut off, to 2**192
  integer, parameter :: lowest = -192
  integer(int64), parameter :: mask = 2_int64**bits - 1

  type :: exact_sum
    integer(int64) :: word(limbs + 1) = 0    ! the limbs, and how many of the terms were too large or no numbers
  end type

  interface operator(+)
    module procedure sum_of
  end interface
  !$omp declare reduction(+ : exact_sum : omp_out = omp_out + omp_in) initializer(omp_priv = exact_sum())

contains

  elemental function sum_of(a, b) result(both)
    type(exact_sum), intent(in) :: a, b
    type(exact_sum) :: both
    both%word = a%word + b%word
  end function

  elemental subroutine add(to, number)
    type(exact_sum), intent(inout) :: to
    real(dp), intent(in) :: number
    integer(int64) :: digits, low, high, sign
    integer :: place, first, shift
    if (number == 0) return
    place = 0
    if (ieee_is_finite(number)) place = exponent(number) - 53 - lowest  ! of the 53 digits' last one
    if (.not. ieee_is_finite(number) .or. place > bits * (limbs - 3)) then
      to%word(limbs + 1) = to%word(limbs + 1) + 1
      return
    end if
    if (place <= -53) return
    digits = int(scale(fraction(abs(number)), 53), int64)
    sign = merge(-1_int64, 1_int64, number < 0)
    if (place < 0) then
      digits = shiftr(digits, -place)
      place = 0
    end if
    first = place / bits + 1
    shift = mod(place, bits)
    low = shiftl(iand(digits, mask), shift)
    high = shiftl(shiftr(digits, bits), shift)
    to%word(first) = to%word(first) + sign * iand(low, mask)
    to%word(first + 1) = to%word(first + 1) + sign * (shiftr(low, bits) + iand(high, mask))
    to%word(first + 2) = to%word(first + 2) + sign * shiftr(high, bits)
  end subroutine

  !> No number at all if one of the terms was none.
  elemental function real_of(sum) result(value)
    type(exact_sum), intent(in) :: sum
    real(dp) :: value
    integer(int64) :: limb(limbs)
    integer :: i
    logical :: negative
    limb = sum%word(:limbs)
    call carry(limb)
    negative = limb(limbs) < 0
    if (negative) then
      limb = -limb
      call carry(limb)
    end if
    value = 0
    do i = limbs, 1, -1
      value = value + scale(real(limb(i), dp), lowest + bits * (i - 1))
    end do
    if (negative) value = -value
    if (sum%word(limbs + 1) > 0) value = ieee_value(value, ieee_quiet_nan)
  end function

  !> Only the highest limb keeps a sign.
  pure subroutine carry(limb)
    integer(int64), intent(inout) :: limb(:)
    integer :: i
    do i = 1, size(limb) - 1
      limb(i + 1) = limb(i + 1) + shifta(limb(i), bits)
      limb(i) = iand(limb(i), mask)
    end do
  end subroutine

end module exact_sums
