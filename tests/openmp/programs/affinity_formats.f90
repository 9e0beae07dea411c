! The affinity format in Fortran: texts have explicit lengths and are padded with blanks.
program affinity_formats
  use omp_lib
  use checking
  implicit none
  character(10) :: text
  character(3) :: short
  integer :: length
  call omp_set_affinity_format('ab %n')
  length = omp_get_affinity_format(text)
  call check(length == 5 .and. text == 'ab %n', 'omp_get_affinity_format')
  length = omp_get_affinity_format(short)
  call check(length == 5 .and. short == 'ab ', 'omp_get_affinity_format, shorter')
  length = omp_capture_affinity(text, '%N threads are many')
  call check(length == 18 .and. text == '1 threads ', 'omp_capture_affinity')
  length = omp_capture_affinity(short, '%n')
  call check(length == 1 .and. short == '0  ', 'omp_capture_affinity, blanks')
  length = omp_capture_affinity(text, '')
  call check(length == 4 .and. text == 'ab 0', 'omp_capture_affinity, the format that was set')
  !$omp parallel num_threads(2) private(text, length)
  length = omp_capture_affinity(text, '%n of %N')
  call check(length == 6 .and. text == achar(48 + omp_get_thread_num()) // ' of 2', 'in a region')
  !$omp end parallel
  call verdict()
end program affinity_formats
