! Routines in Fortran for locks, places, teams, devices and pauses, also with integers of 8 bytes where such forms exist.
program routines
  use, intrinsic :: iso_c_binding
  use checking
  use omp_lib
  implicit none
  integer, parameter :: rounds = 50
  interface
    type(c_funptr) function dlsym(library, name) bind(c)
      import :: c_funptr, c_ptr, c_char
      type(c_ptr), value :: library
      character(c_char), intent(in) :: name(*)
    end function dlsym
  end interface
  integer :: team
  call omp_set_dynamic(.false.)
  team = omp_get_max_threads()
  call hinted_locks()
  call tested_locks()
  call places()
  call levels()
  call leagues()
  call devices()
  call memory_of_devices()
  call pauses()
  call verdict()
contains
  ! libgomp has neither of these two, although omp_lib declares them.
  subroutine hinted_locks()
    integer(omp_sync_hint_kind), parameter :: hints(5) = [integer(omp_sync_hint_kind) :: omp_sync_hint_none, &
      omp_sync_hint_uncontended, omp_lock_hint_contended, omp_sync_hint_nonspeculative, omp_lock_hint_speculative]
    procedure(omp_init_lock_with_hint), pointer :: init
    procedure(omp_init_nest_lock_with_hint), pointer :: init_nest
    type(c_funptr) :: found(2)
    integer(omp_lock_kind) :: lock
    integer(omp_nest_lock_kind) :: nest
    integer :: h, i, count, nested
    found = [dlsym(c_null_ptr, 'omp_init_lock_with_hint_' // c_null_char), &
      dlsym(c_null_ptr, 'omp_init_nest_lock_with_hint_' // c_null_char)]
    if (.not. c_associated(found(1)) .and. .not. c_associated(found(2))) return
    call c_f_procpointer(found(1), init)
    call c_f_procpointer(found(2), init_nest)
    do h = 1, size(hints)
      count = 0; nested = 0
      call init(lock, hints(h))
      call init_nest(nest, hints(h))
      !$omp parallel private(i)
      do i = 1, rounds
        call omp_set_lock(lock)
        count = count + 1
        call omp_unset_lock(lock)
        call omp_set_nest_lock(nest)
        if (omp_test_nest_lock(nest) == 2) nested = nested + 1
        call omp_unset_nest_lock(nest)
        call omp_unset_nest_lock(nest)
      end do
      !$omp end parallel
      call check(count == rounds * team .and. nested == count, 'locks with a hint')
      call omp_destroy_lock(lock)
      call omp_destroy_nest_lock(nest)
    end do
  end subroutine hinted_locks

  subroutine tested_locks()
    integer(omp_lock_kind) :: lock
    integer :: i, count
    count = 0
    call omp_init_lock(lock)
    call check(omp_test_lock(lock), 'omp_test_lock of a free one')
    !$omp parallel
    call check(.not. omp_test_lock(lock), 'omp_test_lock of one that is taken')
    !$omp end parallel
    call omp_unset_lock(lock)
    !$omp parallel private(i)
    do i = 1, rounds
      do while (.not. omp_test_lock(lock))
      end do
      count = count + 1
      call omp_unset_lock(lock)
    end do
    !$omp end parallel
    call check(count == rounds * team, 'omp_test_lock')
    call omp_destroy_lock(lock)
  end subroutine tested_locks

  subroutine places()
    integer :: many, p, at
    integer, allocatable :: ids(:), numbers(:)
    integer(8), allocatable :: wide(:)
    many = omp_get_num_places()
    call check(many >= 0, 'omp_get_num_places')
    do p = 0, many - 1
      allocate (ids(omp_get_place_num_procs(p)), wide(omp_get_place_num_procs(int(p, 8))))
      ids = -1; wide = -1
      call omp_get_place_proc_ids(p, ids)
      call omp_get_place_proc_ids(int(p, 8), wide)
      call check(size(ids) > 0 .and. all(ids >= 0), 'omp_get_place_proc_ids')
      call check(size(ids) == size(wide) .and. all(ids == wide), 'omp_get_place_proc_ids with 8 bytes')
      deallocate (ids, wide)
    end do
    call check(omp_get_place_num_procs(-1) == 0 .and. omp_get_place_num_procs(many) == 0, 'no such place')
    at = omp_get_place_num()
    call check(at >= -1 .and. at < max(many, 1), 'omp_get_place_num')
    allocate (numbers(omp_get_partition_num_places()), wide(omp_get_partition_num_places()))
    numbers = -1; wide = -1
    call omp_get_partition_place_nums(numbers)
    call omp_get_partition_place_nums(wide)
    call check(all(numbers >= 0 .and. numbers < many .and. numbers == wide), 'omp_get_partition_place_nums')
    call check(omp_get_proc_bind() >= omp_proc_bind_false .and. omp_get_proc_bind() <= omp_proc_bind_spread, &
      'omp_get_proc_bind')
  end subroutine places

  subroutine levels()
    call check(omp_get_supported_active_levels() >= 1, 'omp_get_supported_active_levels')
    call check(omp_get_active_level() == 0 .and. omp_get_team_size(0_8) == 1, 'outside')
    !$omp parallel
    call check(omp_get_active_level() == merge(1, 0, team > 1), 'omp_get_active_level')
    call check(omp_get_team_size(1_8) == team .and. omp_get_team_size(2_8) == -1, 'omp_get_team_size')
    call check(omp_get_ancestor_thread_num(1_8) == omp_get_thread_num(), 'omp_get_ancestor_thread_num')
    !$omp end parallel
    call omp_set_max_active_levels(1_8)
    call check(omp_get_max_active_levels() == 1, 'omp_set_max_active_levels')
    call check(omp_get_max_task_priority() == 0, 'omp_get_max_task_priority')
  end subroutine levels

  subroutine leagues()
    integer :: count, most
    count = 0; most = 0
    call omp_set_num_teams(3)
    call check(omp_get_max_teams() == 3, 'omp_set_num_teams')
    call omp_set_num_teams(2_8)
    call check(omp_get_max_teams() == 2, 'omp_set_num_teams with 8 bytes')
    call omp_set_teams_thread_limit(4_8)
    call check(omp_get_teams_thread_limit() == 4, 'omp_set_teams_thread_limit with 8 bytes')
    call omp_set_teams_thread_limit(2)
    call check(omp_get_teams_thread_limit() == 2, 'omp_set_teams_thread_limit')
    !$omp teams reduction(+: count) reduction(max: most)
    count = 1
    call check(omp_get_team_num() < omp_get_num_teams() .and. omp_get_team_num() >= 0, 'omp_get_team_num')
    !$omp parallel reduction(max: most)
    most = omp_get_num_threads()
    !$omp end parallel
    !$omp end teams
    call check(count >= 1 .and. count <= 2, 'a league of that size')
    call check(most >= 1 .and. most <= 2, 'teams of that size')
  end subroutine leagues

  subroutine devices()
    integer :: host
    host = omp_get_initial_device()
    call check(omp_get_num_devices() == 0 .and. omp_is_initial_device(), 'no devices')
    call check(omp_get_device_num() == host, 'omp_get_device_num')
    call omp_set_default_device(host)
    call check(omp_get_default_device() == host, 'omp_set_default_device')
    call omp_set_default_device(2_8)
    call check(omp_get_default_device() == 2, 'omp_set_default_device with 8 bytes')
    call omp_set_default_device(host)
  end subroutine devices

  subroutine memory_of_devices()
    integer(c_int) :: host, failed
    integer(c_int), target :: from(4)
    integer(c_int), pointer :: to(:)
    integer(c_size_t) :: word
    type(c_ptr) :: room
    host = int(omp_get_initial_device(), c_int)
    word = c_sizeof(from(1))
    from = [5, 6, 7, 8]
    room = omp_target_alloc(4 * word, host)
    call check(c_associated(room), 'omp_target_alloc')
    call c_f_pointer(room, to, [4])
    to = 0
    failed = omp_target_memcpy(room, c_loc(from), 3 * word, word, 0_c_size_t, host, host)
    call check(failed == 0 .and. all(to == [0, 5, 6, 7]), 'omp_target_memcpy')
    failed = omp_target_memcpy_rect(room, c_loc(from), word, 2, [integer(c_size_t) :: 1, 1], &
      [integer(c_size_t) :: 0, 1], [integer(c_size_t) :: 1, 0], [integer(c_size_t) :: 2, 2], &
      [integer(c_size_t) :: 2, 2], host, host)
    call check(failed == 0 .and. all(to == [0, 7, 6, 7]), 'omp_target_memcpy_rect')
    call check(omp_target_is_present(c_loc(from), host) /= 0, 'omp_target_is_present')
    call omp_target_free(room, host)
  end subroutine memory_of_devices

  subroutine pauses()
    integer :: failed, members
    failed = omp_pause_resource(omp_pause_soft, omp_get_initial_device())
    call check(failed == 0, 'omp_pause_resource')
    failed = omp_pause_resource_all(omp_pause_hard)
    call check(failed == 0, 'omp_pause_resource_all')
    members = 0
    !$omp parallel reduction(+: members)
    members = members + 1
    !$omp end parallel
    call check(members == team, 'a region after a pause')
  end subroutine pauses
end program routines
