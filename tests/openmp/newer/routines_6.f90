! The forms for Fortran of routines since OpenMP 5.1, as gfortran's omp_lib of 2026 declares them.
program routines_6
  use, intrinsic :: iso_c_binding
  use checking
  implicit none
  interface
    function omp_get_uid_from_device(device)
      integer, intent(in), value :: device
      character(:), pointer :: omp_get_uid_from_device
    end function
    integer function omp_get_device_from_uid(uid)
      character(len=*), intent(in) :: uid
    end function
    function omp_get_interop_str(object, property, code)
      import :: c_intptr_t
      integer(c_intptr_t), intent(in), value :: object
      integer, intent(in), value :: property
      integer, intent(out), optional :: code
      character(:), pointer :: omp_get_interop_str
    end function
    function omp_get_interop_name(object, property)
      import :: c_intptr_t
      integer(c_intptr_t), intent(in), value :: object
      integer, intent(in), value :: property
      character(:), pointer :: omp_get_interop_name
    end function
    integer function omp_get_supported_active_team_dims(device, native)
      integer, intent(in) :: device
      logical, intent(in) :: native
    end function
    integer function omp_get_supported_active_league_dims(device, native)
      integer, intent(in) :: device
      logical, intent(in) :: native
    end function
    logical function omp_in_explicit_task()
    end function
  end interface
  character(:), pointer :: text
  character(len=100) :: longer
  integer :: code

  text => omp_get_uid_from_device(-1)
  call check(associated(text), "the host has a name")
  call check(len(text) > 0 .and. omp_get_device_from_uid(text) == 0, "which leads to it")
  longer = text // "ABC"
  call check(omp_get_device_from_uid(longer(1:len(text))) == 0, "as a part of a text, too")
  call check(omp_get_device_from_uid(longer) == -4, "another leads nowhere")
  text => omp_get_uid_from_device(7)
  call check(.not. associated(text), "no such device")
  code = 7
  text => omp_get_interop_str(0_c_intptr_t, -2, code)
  call check(.not. associated(text) .and. code == -1, "no object has a text")
  text => omp_get_interop_str(0_c_intptr_t, -2)
  call check(.not. associated(text), "nor without a code")
  text => omp_get_interop_name(0_c_intptr_t, -2)
  call check(.not. associated(text), "nor a name")
  call check(omp_get_supported_active_team_dims(-1, .true.) == 1, "one dimension of teams")
  call check(omp_get_supported_active_league_dims(-1, .false.) == 1, "one of leagues")
  call check(.not. omp_in_explicit_task(), "no task")
  call verdict()
end program
