! The flow: velocities and pressure, and a step in time. The method is that of fractional steps (Chorin 1968; Kim and Moin
! 1985): convection and diffusion advance the velocities, all explicitly (Adams and Bashforth, second order); then the pressure
! takes away what divergence they have. Differences are centred, second order; convection conserves kinetic energy.
module flows
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use meshes, only: make_field, make_mesh, mesh, east, north, south, west
  use overlaps, only: fill_overlap, make_overlap, overlap
  use pressure, only: make_solver, solve, solver
  use totals, only: greatest, take_greatest
  implicit none
  private
  public :: flow, largest_divergence, largest_step, make_flow, march

  !> The divergence that a step may leave, as its root mean square over the cells. So no cell has more than `cells` times it.
  real(dp), parameter, public :: divergence_left = 1e-9_dp

  type :: flow
    type(mesh) :: m
    type(overlap) :: o
    type(solver) :: s
    real(dp) :: viscosity, dt, lid  ! lid: the velocity of the north wall
    integer :: steps = 0, iterations = 0  ! made so far
    logical :: solved = .true., steady = .false.
    real(dp), allocatable, dimension(:, :, :) :: u, v, p, f
    real(dp), allocatable, dimension(:, :, :) :: rate_u, rate_v, former_u, former_v  ! rates of this step and of the last one
    real(dp), allocatable, dimension(:, :, :) :: begun_u, begun_v                    ! velocities with which the step began
  end type

contains

  function make_flow(m, viscosity, dt, lid) result(fl)
    type(mesh), intent(in) :: m
    real(dp), intent(in) :: viscosity, dt, lid
    type(flow) :: fl
    fl%m = m
    fl%o = make_overlap(m)
    fl%s = make_solver(m)
    fl%viscosity = viscosity
    fl%dt = dt
    fl%lid = lid
    call make_field(m, fl%u)
    call make_field(m, fl%v)
    call make_field(m, fl%p)
    call make_field(m, fl%f)
    call make_field(m, fl%rate_u)
    call make_field(m, fl%rate_v)
    call make_field(m, fl%former_u)
    call make_field(m, fl%former_v)
    call make_field(m, fl%begun_u)
    call make_field(m, fl%begun_v)
  end function

  !> In time. Diffusion is stable up to h**2/(8 nu) with this scheme, half of what Euler's allows; convection, up to a part of a
  !> cell in each step if there is some diffusion. `speed` is the largest |u| + |v|.
  pure real(dp) function largest_step(h, viscosity, speed)
    real(dp), intent(in) :: h, viscosity, speed
    largest_step = min(0.8_dp * h**2 / (8 * viscosity), 0.3_dp * h / speed)
  end function

  !> At most so many steps, and none after the velocities change by less than `still` in a unit of time. All threads call it.
  subroutine march(fl, steps, still)
    type(flow), intent(inout) :: fl
    integer, intent(in) :: steps
    real(dp), intent(in) :: still
    real(dp) :: change
    integer :: n, iterations, all_iterations
    logical :: steady
    all_iterations = 0
    steady = .false.
    do n = 1, steps
      call step(fl, n == 1, iterations, change)
      if (iterations < 0) exit
      all_iterations = all_iterations + iterations
      steady = change < still * fl%dt
      if (steady) exit
    end do
    !$omp single
    fl%steps = min(n, steps)
    fl%iterations = all_iterations
    fl%solved = iterations >= 0
    fl%steady = steady
    !$omp end single
  end subroutine

  !> `change`: the largest of a velocity's.
  subroutine step(fl, first, iterations, change)
    type(flow), intent(inout) :: fl
    logical, intent(in) :: first
    integer, intent(out) :: iterations
    real(dp), intent(out) :: change
    call fill_velocities(fl)
    call find_rates(fl%m, fl%viscosity, fl%u, fl%v, fl%rate_u, fl%rate_v)
    ! Euler's method begins; one step of it does not change the order.
    call advance(fl, merge(1.0_dp, 1.5_dp, first), merge(0.0_dp, 0.5_dp, first))
    call fill_velocities(fl)
    call set_right_side(fl)
    call solve(fl%m, fl%o, fl%s, fl%f, divergence_left * fl%m%h**2 / fl%dt, fl%p, iterations)
    call correct(fl)
    call take_greatest(change)
  end subroutine

  !> The overlap, and beyond walls what makes the velocity along them that of the wall.
  subroutine fill_velocities(fl)
    type(flow), intent(inout) :: fl
    integer :: b
    call fill_overlap(fl%m, fl%o, fl%u)
    call fill_overlap(fl%m, fl%o, fl%v)
    if (fl%m%periodic) return
    !$omp do
    do b = fl%m%first, fl%m%last
      associate (n => fl%m%edge, wall => fl%m%neighbour(:, b) == 0)
        if (wall(south)) fl%u(:, 0, b) = -fl%u(:, 1, b)
        if (wall(north)) fl%u(:, n + 1, b) = 2 * fl%lid - fl%u(:, n, b)
        if (wall(west)) fl%v(0, :, b) = -fl%v(1, :, b)
        if (wall(east)) fl%v(n + 1, :, b) = -fl%v(n, :, b)
      end associate
    end do
    !$omp end do
  end subroutine

  !> Of u and v, by convection and diffusion. Faces in walls have none.
  subroutine find_rates(m, viscosity, u, v, rate_u, rate_v)
    type(mesh), intent(in) :: m
    real(dp), intent(in) :: viscosity
    real(dp), intent(in), contiguous, dimension(m%low:, m%low:, m%first:) :: u, v
    real(dp), intent(inout), contiguous, dimension(m%low:, m%low:, m%first:) :: rate_u, rate_v
    real(dp) :: convected, diffused
    integer :: b, i, j
    !$omp do collapse(2)
    do b = m%first, m%last
      do j = 1, m%edge
        do i = 1, m%edge
          convected = (u(i, j, b) + u(i + 1, j, b))**2 - (u(i - 1, j, b) + u(i, j, b))**2 &
                      + (v(i, j, b) + v(i + 1, j, b)) * (u(i, j, b) + u(i, j + 1, b)) &
                      - (v(i, j - 1, b) + v(i + 1, j - 1, b)) * (u(i, j - 1, b) + u(i, j, b))
          diffused = u(i - 1, j, b) + u(i + 1, j, b) + u(i, j - 1, b) + u(i, j + 1, b) - 4 * u(i, j, b)
          rate_u(i, j, b) = m%open_x(i, b) * (viscosity / m%h**2 * diffused - convected / (4 * m%h))
        end do
        do i = 1, m%edge
          convected = (v(i, j, b) + v(i, j + 1, b))**2 - (v(i, j - 1, b) + v(i, j, b))**2 &
                      + (u(i, j, b) + u(i, j + 1, b)) * (v(i, j, b) + v(i + 1, j, b)) &
                      - (u(i - 1, j, b) + u(i - 1, j + 1, b)) * (v(i - 1, j, b) + v(i, j, b))
          diffused = v(i - 1, j, b) + v(i + 1, j, b) + v(i, j - 1, b) + v(i, j + 1, b) - 4 * v(i, j, b)
          rate_v(i, j, b) = m%open_y(j, b) * (viscosity / m%h**2 * diffused - convected / (4 * m%h))
        end do
      end do
    end do
    !$omp end do
  end subroutine

  !> By so much of this step's rates, less so much of the last one's.
  subroutine advance(fl, now, former)
    type(flow), intent(inout) :: fl
    real(dp), intent(in) :: now, former
    integer :: b, j
    !$omp do collapse(2)
    do b = fl%m%first, fl%m%last
      do j = 1, fl%m%edge
        associate (n => fl%m%edge)
          fl%begun_u(1:n, j, b) = fl%u(1:n, j, b)
          fl%begun_v(1:n, j, b) = fl%v(1:n, j, b)
          fl%u(1:n, j, b) = fl%u(1:n, j, b) + fl%dt * (now * fl%rate_u(1:n, j, b) - former * fl%former_u(1:n, j, b))
          fl%v(1:n, j, b) = fl%v(1:n, j, b) + fl%dt * (now * fl%rate_v(1:n, j, b) - former * fl%former_v(1:n, j, b))
          fl%former_u(1:n, j, b) = fl%rate_u(1:n, j, b)
          fl%former_v(1:n, j, b) = fl%rate_v(1:n, j, b)
        end associate
      end do
    end do
    !$omp end do
  end subroutine

  !> Of the pressure's equation: the divergence over the step, times -h**2 as the matrix is.
  subroutine set_right_side(fl)
    type(flow), intent(inout) :: fl
    integer :: b, j
    !$omp do collapse(2)
    do b = fl%m%first, fl%m%last
      do j = 1, fl%m%edge
        fl%f(1:fl%m%edge, j, b) = -fl%m%h**2 / fl%dt * divergence(fl, b, j)
      end do
    end do
    !$omp end do
  end subroutine

  !> Takes the pressure's gradient from the velocities, and finds the largest change of the step.
  subroutine correct(fl)
    type(flow), intent(inout) :: fl
    real(dp) :: slope
    integer :: b, i, j
    slope = fl%dt / fl%m%h
    !$omp do collapse(2) reduction(max:greatest)
    do b = fl%m%first, fl%m%last
      do j = 1, fl%m%edge
        do i = 1, fl%m%edge
          fl%u(i, j, b) = fl%u(i, j, b) - slope * fl%m%open_x(i, b) * (fl%p(i + 1, j, b) - fl%p(i, j, b))
          fl%v(i, j, b) = fl%v(i, j, b) - slope * fl%m%open_y(j, b) * (fl%p(i, j + 1, b) - fl%p(i, j, b))
          greatest = max(greatest, abs(fl%u(i, j, b) - fl%begun_u(i, j, b)), abs(fl%v(i, j, b) - fl%begun_v(i, j, b)))
        end do
      end do
    end do
    !$omp end do
  end subroutine

  !> Of the cells of row j in block b. The overlap of the velocities is filled.
  pure function divergence(fl, b, j) result(row)
    type(flow), intent(in) :: fl
    integer, intent(in) :: b, j
    real(dp) :: row(fl%m%edge)
    associate (n => fl%m%edge)
      row = (fl%u(1:n, j, b) - fl%u(0:n - 1, j, b) + fl%v(1:n, j, b) - fl%v(1:n, j - 1, b)) / fl%m%h
    end associate
  end function

  !> All threads call it.
  subroutine largest_divergence(fl, value)
    type(flow), intent(inout) :: fl
    real(dp), intent(out) :: value
    integer :: b, j
    call fill_velocities(fl)
    !$omp do collapse(2) reduction(max:greatest)
    do b = fl%m%first, fl%m%last
      do j = 1, fl%m%edge
        greatest = max(greatest, maxval(abs(divergence(fl, b, j))))
      end do
    end do
    !$omp end do
    call take_greatest(value)
  end subroutine

end module flows
