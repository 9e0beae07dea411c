! Published solutions of the lid-driven cavity at Re = 100.
module ghia
  use, intrinsic :: iso_fortran_env, only: dp => real64
  implicit none
  private

  ! U. Ghia, K. N. Ghia and C. T. Shin, Journal of Computational Physics 48 (1982), 387-411, tables I and II, on 129 by 129
  ! points. u on the vertical line through the centre, and v on the horizontal one.
  real(dp), parameter, public :: u_at(15) = [ &
    0.0547_dp, 0.0625_dp, 0.0703_dp, 0.1016_dp, 0.1719_dp, 0.2813_dp, 0.4531_dp, 0.5000_dp, &
    0.6172_dp, 0.7344_dp, 0.8516_dp, 0.9531_dp, 0.9609_dp, 0.9688_dp, 0.9766_dp]
  real(dp), parameter, public :: u_there(15) = [ &
    -0.03717_dp, -0.04192_dp, -0.04775_dp, -0.06434_dp, -0.10150_dp, -0.15662_dp, -0.21090_dp, -0.20581_dp, &
    -0.13641_dp, 0.00332_dp, 0.23151_dp, 0.68717_dp, 0.73722_dp, 0.78871_dp, 0.84123_dp]
  real(dp), parameter, public :: v_at(15) = [ &
    0.0625_dp, 0.0703_dp, 0.0781_dp, 0.0938_dp, 0.1563_dp, 0.2266_dp, 0.2344_dp, 0.5000_dp, &
    0.8047_dp, 0.8594_dp, 0.9063_dp, 0.9453_dp, 0.9531_dp, 0.9609_dp, 0.9688_dp]
  real(dp), parameter, public :: v_there(15) = [ &
    0.09233_dp, 0.10091_dp, 0.10890_dp, 0.12317_dp, 0.16077_dp, 0.17507_dp, 0.17527_dp, 0.05454_dp, &
    -0.24533_dp, -0.22445_dp, -0.16914_dp, -0.10313_dp, -0.08864_dp, -0.07391_dp, -0.05906_dp]

  ! The extremes on the same lines by a spectral method: O. Botella and R. Peyret, Computers & Fluids 27 (1998), 421-433.
  ! Ghia's differ from them by up to 0.0085.
  real(dp), parameter, public :: least_u = -0.2140424_dp, greatest_v = 0.1795728_dp, least_v = -0.2538030_dp

end module ghia
