! target with optional arguments: an absent argument has no address and is absent in the region too. (GCC 12's own code
! reads absent scalars that are firstprivate, and descriptors that are mapped.)
program absent_arguments
  use checking
  implicit none
  complex(8) :: field(4)
  integer, allocatable :: list(:)
  integer, pointer :: at(:)
  integer, target :: numbers(3)
  character(5) :: word
  field = (1, 2); list = [1, 2, 3]; numbers = 7; at => numbers; word = 'hello'
  call copied(0)
  call copied(4, field, list, word)
  call on_the_device(0)
  call on_the_device(4, field, list, at)
  call mapped(0)
  call mapped(4, field, list, at)
  call later(0)
  call later(4, field)
  call nothing_there(0)
  call verdict()
contains
  subroutine copied(expected, field, list, word)
    integer, intent(in) :: expected
    complex(8), optional :: field(4)
    integer, optional, allocatable :: list(:)
    character(*), optional :: word
    integer :: seen
    seen = 0
    !$omp target firstprivate(field, list, word) map(tofrom: seen)
    if (present(field)) seen = seen + nint(sum(real(field)))
    if (present(list)) seen = seen + sum(list) - 6
    if (present(word)) seen = seen + len(word) - 5
    !$omp end target
    call check(seen == expected, 'firstprivate')
  end subroutine copied

  subroutine on_the_device(expected, field, list, at)
    integer, intent(in) :: expected
    complex(8), optional :: field(4)
    integer, optional, allocatable :: list(:)
    integer, optional, pointer :: at(:)
    integer :: seen
    seen = 0
    !$omp target has_device_addr(field, list, at) map(tofrom: seen)
    if (present(field)) seen = seen + nint(sum(real(field)))
    if (present(list)) seen = seen + sum(list) - 6
    if (present(at)) seen = seen + sum(at) - 21
    !$omp end target
    call check(seen == expected, 'has_device_addr')
    !$omp target data use_device_addr(field, list, at)
    if (present(field)) seen = seen - nint(sum(real(field)))
    !$omp end target data
    call check(seen == 0, 'use_device_addr')
  end subroutine on_the_device

  subroutine mapped(expected, field, list, at)
    integer, intent(in) :: expected
    complex(8), optional :: field(4)
    integer, optional, allocatable :: list(:)
    integer, optional, pointer :: at(:)
    integer :: seen
    seen = 0
    !$omp target enter data map(to: field)
    !$omp target update to(field)
    !$omp target map(tofrom: field, list, at, seen)
    if (present(field)) seen = seen + nint(sum(real(field)))
    if (present(list)) seen = seen + sum(list) - 6
    if (present(at)) seen = seen + sum(at) - 21
    !$omp end target
    !$omp target exit data map(from: field)
    call check(seen == expected, 'map')
  end subroutine mapped

  subroutine later(expected, field)
    integer, intent(in) :: expected
    complex(8), optional :: field(4)
    integer :: seen
    seen = 0
    !$omp parallel
    !$omp single
    !$omp target firstprivate(field) map(tofrom: seen) nowait depend(inout: seen)
    if (present(field)) seen = seen + nint(sum(real(field)))
    !$omp end target
    !$omp end single
    !$omp end parallel
    call check(seen == expected, 'nowait')
  end subroutine later

  ! Arguments that are present, but have no elements, or are not allocated or associated.
  subroutine nothing_there(n)
    integer, intent(in) :: n
    integer :: none(n), seen
    integer, allocatable :: list(:)
    integer, pointer :: at(:)
    nullify(at)
    seen = 0
    !$omp target data map(tofrom: none, list, at)
    !$omp target firstprivate(none, list, at) map(tofrom: seen)
    seen = seen + size(none)
    if (allocated(list) .or. associated(at)) seen = seen + 1
    !$omp end target
    !$omp target has_device_addr(list, at) map(tofrom: none, seen)
    seen = seen + size(none)
    if (allocated(list) .or. associated(at)) seen = seen + 1
    !$omp end target
    !$omp end target data
    !$omp target update from(list, at)
    call check(seen == 0, 'nothing there')
  end subroutine nothing_there
end program absent_arguments
