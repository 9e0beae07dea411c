! The options of the command: whole numbers of a range, or one of a few words, each with a default. A wrong one ends the program.
module options
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use world, only: rank, world_end
  implicit none
  private
  public :: choice, number, option, read_options, refuse

  integer, parameter :: longest_word = 16

  type :: option
    character(:), allocatable :: name, help
    integer :: value, least, most
    character(longest_word), allocatable :: words(:)  ! in place of the numbers from `least` to `most`
  end type

contains

  function number(name, value, least, most, help) result(o)
    character(*), intent(in) :: name, help
    integer, intent(in) :: value, least, most
    type(option) :: o
    o = option(name, help, value, least, most, null())
  end function

  !> Its value is the number of the word; the first is the default.
  function choice(name, words, help) result(o)
    character(*), intent(in) :: name, words(:), help
    type(option) :: o
    o = option(name, help, 1, 1, size(words), null())
    o%words = words
  end function

  !> Ends the program as a wrong use of it.
  subroutine refuse(why)
    character(*), intent(in) :: why
    if (rank == 0) write (error_unit, '(2a)') 'flow: ', why
    call world_end(2)
  end subroutine

  subroutine read_options(about, known)
    character(*), intent(in) :: about(:)
    type(option), intent(inout) :: known(:)
    character(:), allocatable :: word
    integer :: i, k
    i = 1
    do while (i <= command_argument_count())
      word = argument(i)
      if (word == '--help') call help(about, known)
      do k = 1, size(known)
        if (known(k)%name == word) exit
      end do
      if (k > size(known)) call refuse('no option is called "'//word//'"; --help lists them')
      if (i == command_argument_count()) call refuse(word//' takes '//takes(known(k)))
      call set(known(k), argument(i + 1))
      i = i + 2
    end do
  end subroutine

  function argument(i) result(word)
    integer, intent(in) :: i
    character(:), allocatable :: word
    integer :: length
    call get_command_argument(i, length=length)
    allocate (character(length) :: word)
    call get_command_argument(i, word)
  end function

  subroutine set(o, word)
    type(option), intent(inout) :: o
    character(*), intent(in) :: word
    integer :: found, error
    if (allocated(o%words)) then
      found = findloc(o%words == word, .true., 1)
      error = 0
    else
      error = verify(word, '0123456789')
      if (len(word) == 0) error = 1
      found = 0
      if (error == 0) read (word, *, iostat=error) found
    end if
    if (error /= 0 .or. found < o%least .or. found > o%most) &
      call refuse(o%name//' takes '//takes(o)//', not "'//word//'"')
    o%value = found
  end subroutine

  pure function takes(o) result(text)
    type(option), intent(in) :: o
    character(:), allocatable :: text
    character(64) :: range
    integer :: k
    if (allocated(o%words)) then
      text = trim(o%words(1))
      do k = 2, size(o%words)
        text = text//' or '//trim(o%words(k))
      end do
    else
      write (range, '(a, i0, a, i0)') 'a whole number from ', o%least, ' to ', o%most
      text = trim(range)
    end if
  end function

  subroutine help(about, known)
    character(*), intent(in) :: about(:)
    type(option), intent(in) :: known(:)
    integer :: k
    if (rank == 0) then
      do k = 1, size(about)
        write (output_unit, '(a)') trim(about(k))
      end do
      write (output_unit, '()')
      do k = 1, size(known)
        associate (o => known(k))
          if (allocated(o%words)) then
            write (output_unit, '(2x, a12, 1x, 6a)') [character(12) :: o%name], o%help, ' (', takes(o), '; ', &
              trim(o%words(o%value)), ')'
          else
            write (output_unit, '(2x, a12, 1x, 2a, 3(i0, a))') [character(12) :: o%name], o%help, ' (', &
              o%least, '..', o%most, '; ', o%value, ')'
          end if
        end associate
      end do
      write (output_unit, '(2x, a12, 1x, a)') [character(12) :: '--help'], 'this'
    end if
    call world_end(0)
  end subroutine

end module options
