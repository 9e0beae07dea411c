! The command flow: incompressible flow on overlapping blocks of a mesh.
program main
  use cavity, only: run_cavity
  use options, only: choice, number, option, read_options, refuse
  use taylor_green, only: run_taylor_green
  use world, only: processes, world_begin, world_end
  implicit none
  type(option) :: given(6)
  character(160) :: why
  logical :: right

  call world_begin()
  given = [ &
          choice('--case', [character(16) :: 'cavity', 'taylor-green'], 'driven by its lid, or vortices that decay'), &
          number('--cells', 32, 8, 1024, 'along an edge; even'), &
          number('--blocks', 4, 1, 64, 'along an edge; the cells are a multiple'), &
          number('--overlap', 1, 1, 2, 'layers of cells by which blocks overlap'), &
          number('--reynolds', 100, 1, 1000, 'Reynolds number; what is published of the cavity is at 100'), &
          number('--steps', 0, 0, 1000000, 'in time; 0: until the cavity is steady, the vortices to time 5')]
  call read_options([character(120) :: &
                     'flow: incompressible Navier-Stokes on overlapping blocks of a mesh, by fractional steps.', &
                     'Loops and reductions within one parallel region. The result on stdout is the same for any number of', &
                     'threads, and of processes where it is built over MPI.'], given)
  associate (cells => given(2)%value, blocks => given(3)%value, layers => given(4)%value)
    if (modulo(cells, 2) /= 0) then
      write (why, '(a, i0, a)') '--cells ', cells, ' is odd, and no face of a cell would be on the centre line'
      call refuse(trim(why))
    end if
    if (modulo(cells, blocks) /= 0) then
      write (why, '(2(a, i0))') '--cells ', cells, ' is no multiple of --blocks ', blocks
      call refuse(trim(why))
    end if
    if (cells / blocks < 2 * layers) then
      write (why, '(3(a, i0))') 'blocks of ', cells / blocks, ' cells are too small for --overlap ', layers, &
        '; they need twice as many: --blocks at most ', cells / (2 * layers)
      call refuse(trim(why))
    end if
    if (blocks**2 < processes) then
      write (why, '(3(a, i0))') '--blocks ', blocks, ' makes ', blocks**2, ' blocks, fewer than the processes: ', processes
      call refuse(trim(why))
    end if
    if (given(1)%value == 1) then
      right = run_cavity(cells, blocks, layers, given(5)%value, given(6)%value)
    else
      right = run_taylor_green(cells, blocks, layers, given(5)%value, given(6)%value)
    end if
  end associate
  call world_end(merge(0, 1, right))
end program main
