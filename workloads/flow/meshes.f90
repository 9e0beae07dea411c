! A square of equal cells in equal blocks, which overlap by one or two layers of cells and belong to processes.
!
! The mesh is staggered (Harlow and Welch, Physics of Fluids 8, 1965): pressure at the centre of a cell, u at its east
! face, v at its north face. Velocities then have no divergence to the last bit of the pressure, pressure cannot oscillate
! from cell to cell, and needs no condition at walls. All fields have one shape and one exchange all the same: cell (i, j)
! of block b has f(i, j, b), and its own cells are 1 to `edge`.
module meshes
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use world, only: processes, rank
  implicit none
  private
  public :: mesh, make_mesh, make_field, owner

  integer, parameter, public :: west = 1, east = 2, south = 3, north = 4
  integer, parameter, public :: opposite(4) = [east, west, north, south]

  type :: mesh
    integer :: cells        ! along an edge of the square
    integer :: blocks       ! along an edge of the square; they are numbered row by row from the south west
    integer :: edge         ! of a block, in cells
    integer :: layers       ! of overlap
    integer :: low, high    ! bounds of a field: a block with its overlap
    integer :: first, last  ! blocks of this process
    logical :: periodic     ! or else within walls
    real(dp) :: h           ! size of a cell
    integer, allocatable :: neighbour(:, :)  ! (side, block): a block, 0 for a wall
    ! 0 or 1: whether fluid passes the east face of column i, the north face of row j.
    real(dp), allocatable :: open_x(:, :), open_y(:, :)
  contains
    procedure :: is_here
    procedure :: column  ! of the cell before the block's first, from the west
    procedure :: row
  end type

contains

  function make_mesh(cells, blocks, layers, periodic, length) result(m)
    integer, intent(in) :: cells, blocks, layers
    logical, intent(in) :: periodic
    real(dp), intent(in) :: length
    type(mesh) :: m
    integer :: b, x, y
    m%cells = cells
    m%blocks = blocks
    m%edge = cells / blocks
    m%layers = layers
    m%low = 1 - layers
    m%high = m%edge + layers
    m%periodic = periodic
    m%h = length / cells
    m%first = first_of(rank, blocks**2)
    m%last = first_of(rank + 1, blocks**2) - 1
    allocate (m%neighbour(4, m%first:m%last))
    allocate (m%open_x(0:m%edge, m%first:m%last), m%open_y(0:m%edge, m%first:m%last))
    m%open_x = 1
    m%open_y = 1
    do b = m%first, m%last
      x = modulo(b - 1, blocks)
      y = (b - 1) / blocks
      m%neighbour(:, b) = [at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1)]
      if (m%neighbour(west, b) == 0) m%open_x(0, b) = 0
      if (m%neighbour(east, b) == 0) m%open_x(m%edge, b) = 0
      if (m%neighbour(south, b) == 0) m%open_y(0, b) = 0
      if (m%neighbour(north, b) == 0) m%open_y(m%edge, b) = 0
    end do

  contains

    pure integer function at(x, y)
      integer, intent(in) :: x, y
      at = 0
      if (periodic .or. (min(x, y) >= 0 .and. max(x, y) < blocks)) at = modulo(y, blocks) * blocks + modulo(x, blocks) + 1
    end function

  end function

  !> Of the blocks of a process, which has about as many as each other.
  pure integer function first_of(process, blocks)
    integer, intent(in) :: process, blocks
    first_of = blocks * process / processes + 1
  end function

  pure integer function owner(block, blocks)
    integer, intent(in) :: block, blocks
    owner = (block * processes - 1) / blocks
  end function

  pure logical function is_here(self, block)
    class(mesh), intent(in) :: self
    integer, intent(in) :: block
    is_here = block >= self%first .and. block <= self%last
  end function

  pure integer function column(self, block)
    class(mesh), intent(in) :: self
    integer, intent(in) :: block
    column = modulo(block - 1, self%blocks) * self%edge
  end function

  pure integer function row(self, block)
    class(mesh), intent(in) :: self
    integer, intent(in) :: block
    row = (block - 1) / self%blocks * self%edge
  end function

  !> A field of zeros.
  subroutine make_field(m, f)
    type(mesh), intent(in) :: m
    real(dp), allocatable, intent(out) :: f(:, :, :)
    allocate (f(m%low:m%high, m%low:m%high, m%first:m%last), source=0.0_dp)
  end subroutine

end module meshes
