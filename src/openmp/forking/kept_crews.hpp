// Crews whose threads have ended, for other threads that open their first regions: a program that makes threads anew, each of
// which opens a few regions, does not make their workers anew, too.
//
// The workers of such a crew have seats, on the processor of the thread that has ended among others. The processor goes with the
// crew, so that the workers stay where they sleep. They are kernel threads of the process all the same, which ends with its last
// thread. So crews are kept only while the program's first thread has not ended.
#pragma once

namespace weir::openmp {

class crew;

/// The calling thread ends, and with it its crew for outermost regions, which is kept or dismissed.
void keep_or_dismiss(crew& kept_crew);
/// A crew for the outermost regions of the calling thread; null: none that is kept has workers as this thread would create them.
/// Then it ends the one that has been kept longest.
crew* take_kept_crew();
/// Dismisses all that are kept.
void dismiss_kept_crews();
/// The program's first thread is there; it ends.
void first_thread_is_there();
void first_thread_ends();

}  // namespace weir::openmp
