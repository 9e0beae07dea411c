! Taylor and Green's vortices in the plane, which decay, in a mean flow that carries them with it; checked against the exact
! solution on the mesh and on one twice as fine. Without the mean flow, convection would be the gradient of a pressure and do
! nothing to the vortices.
module taylor_green
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use flows, only: divergence_left, flow, largest_divergence, largest_step, make_flow, march
  use meshes, only: make_mesh
  use observing, only: digest, kinetic_energy
  use reporting, only: check, decimal, say, say_time, stopwatch
  use totals, only: greatest, take_greatest
  implicit none
  private
  public :: run_taylor_green

  real(dp), parameter :: mean(2) = [1.0_dp, 0.5_dp], turn = 8 * atan(1.0_dp), last = 5
  real(dp), parameter :: allowed_of_order = 0.1_dp  ! from 2, when the mesh is twice as fine

  !> How far a run is from the exact solution: the logarithm of the energy, velocities, and what it leaves of divergence.
  type :: errors
    real(dp) :: energy, velocity, divergence
  end type

contains

  !> `steps`: on the coarser mesh; 0: to the last time. False if the result is wrong.
  logical function run_taylor_green(cells, blocks, layers, reynolds, steps) result(right)
    integer, intent(in) :: cells, blocks, layers, reynolds, steps
    type(errors) :: of(2)
    type(stopwatch) :: watch
    real(dp) :: viscosity, dt, order(2)
    integer :: made, k
    character(120) :: line
    logical :: solved
    type(errors) :: allowed
    call watch%start()
    viscosity = 1.0_dp / reynolds
    dt = 2 * largest_step(turn / (2 * cells), viscosity, 2 + sum(mean))
    made = ceiling(last / dt)
    dt = last / made
    if (steps > 0) made = steps
    write (line, '(3(a, i0), 2a)') 'Taylor-Green at Re ', reynolds, ', ', cells, '^2 cells in blocks of ', cells / blocks, &
      ', to time ', decimal(made * dt, 4)
    call say(line)
    right = .true.
    do k = 1, 2
      call run(k * cells, blocks, layers, viscosity, dt / k, k * made, of(k), solved)
      right = check(solved, 'the pressure does not converge')
      if (.not. right) exit
    end do
    call say_time(watch)
    if (.not. right) return
    order = log([of(1)%energy / of(2)%energy, of(1)%velocity / of(2)%velocity]) / log(2.0_dp)
    write (line, '(a, 2(1x, f5.3))') 'order of the energy and of the velocity:', order
    call say(line)
    do k = 1, 2
      allowed = expected(turn / (k * cells), viscosity, dt / k, made * dt)
      right = check(of(k)%energy <= 1.1_dp * allowed%energy, 'the energy does not decay as it should') .and. right
      right = check(of(k)%velocity <= 1.1_dp * allowed%velocity, 'the velocity is not the exact one') .and. right
      right = check(of(k)%divergence <= divergence_left * k * cells, 'mass is not conserved') .and. right
    end do
    right = check(all(abs(order - 2) <= allowed_of_order), 'the errors are not of second order') .and. right
  end function

  !> What the scheme does to a wave of length 2 pi, to the first order: in a unit of time the centred Laplacian leaves it
  !> nu h**2/3 of its energy too much, and the centred convection carries it too slowly by U h**2/6 along an axis. The first
  !> step, which is Euler's, adds (omega dt)**2 to the energy, omega being the sum of the mean velocities.
  pure type(errors) function expected(h, viscosity, dt, time)
    real(dp), intent(in) :: h, viscosity, dt, time
    expected%energy = viscosity * time * h**2 / 3 + (sum(mean) * dt)**2
    expected%velocity = maxval(mean) * time * h**2 / 6 + (sum(mean) * dt)**2
    expected%divergence = 0
  end function

  subroutine run(cells, blocks, layers, viscosity, dt, steps, found, solved)
    integer, intent(in) :: cells, blocks, layers, steps
    real(dp), intent(in) :: viscosity, dt
    type(errors), intent(out) :: found
    logical, intent(out) :: solved
    type(flow) :: fl
    real(dp) :: energy, exact
    character(120) :: line
    fl = make_flow(make_mesh(cells, blocks, layers, .true., turn), viscosity, dt, 0.0_dp)
    !$omp parallel
    call begin(fl)
    call march(fl, steps, 0.0_dp)
    call observe
    !$omp end parallel
    solved = fl%solved
    exact = exp(-4 * viscosity * steps * dt) / 4
    found%energy = abs(log(energy / exact))
    write (line, '(3(a, i0))') 'cells ', cells, '^2, steps ', fl%steps, ', iterations ', fl%iterations
    call say(line)
    write (line, '(a, es23.16, a, es8.1)') '  kinetic energy', energy, ', divergence at most', found%divergence
    call say(line)
    write (line, '(2(a, es10.3))') '  logarithm of the energy off by ', found%energy, ', velocity by ', found%velocity
    call say(line)
    write (line, '(a, z16.16)') '  digest ', digest(fl)
    call say(line)

  contains

    subroutine observe()
      real(dp) :: mine
      call kinetic_energy(fl, mean, mine)
      !$omp single
      energy = mine
      !$omp end single
      call largest_divergence(fl, mine)
      !$omp single
      found%divergence = mine
      !$omp end single
      call largest_error(fl, steps * dt, mine)
      !$omp single
      found%velocity = mine
      !$omp end single
    end subroutine

  end subroutine

  !> u and v at the east and the north face of a cell, of which the coordinates of the centre are given.
  pure function exact_velocity(x, y, h, viscosity, time) result(velocity)
    real(dp), intent(in) :: x, y, h, viscosity, time
    real(dp) :: velocity(2), left
    left = exp(-2 * viscosity * time)
    associate (xc => x - mean(1) * time, yc => y - mean(2) * time)
      velocity = mean + left * [cos(xc + h / 2) * sin(yc), -sin(xc) * cos(yc + h / 2)]
    end associate
  end function

  !> All threads call it.
  subroutine begin(fl)
    type(flow), intent(inout) :: fl
    real(dp) :: velocity(2)
    integer :: b, i, j
    !$omp do collapse(2)
    do b = fl%m%first, fl%m%last
      do j = 1, fl%m%edge
        do i = 1, fl%m%edge
          velocity = exact_velocity((fl%m%column(b) + i - 0.5_dp) * fl%m%h, (fl%m%row(b) + j - 0.5_dp) * fl%m%h, fl%m%h, &
                                    fl%viscosity, 0.0_dp)
          fl%u(i, j, b) = velocity(1)
          fl%v(i, j, b) = velocity(2)
        end do
      end do
    end do
    !$omp end do
  end subroutine

  subroutine largest_error(fl, time, error)
    type(flow), intent(in) :: fl
    real(dp), intent(in) :: time
    real(dp), intent(out) :: error
    real(dp) :: velocity(2)
    integer :: b, i, j
    !$omp do collapse(2) reduction(max:greatest)
    do b = fl%m%first, fl%m%last
      do j = 1, fl%m%edge
        do i = 1, fl%m%edge
          velocity = exact_velocity((fl%m%column(b) + i - 0.5_dp) * fl%m%h, (fl%m%row(b) + j - 0.5_dp) * fl%m%h, fl%m%h, &
                                    fl%viscosity, time)
          greatest = max(greatest, abs(fl%u(i, j, b) - velocity(1)), abs(fl%v(i, j, b) - velocity(2)))
        end do
      end do
    end do
    !$omp end do
    call take_greatest(error)
  end subroutine

end module taylor_green
