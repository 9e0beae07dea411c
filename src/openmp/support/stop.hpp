// Messages of the runtime, and how it ends a program: one that it cannot serve, or one that asks for its end.
#pragma once

namespace weir::openmp {

/// Writes the runtime's name and a message as printf does; the program aborts.
[[noreturn, gnu::format(printf, 1, 2)]] void stop(const char* why, ...);

/// The same, but the program exits with status 1: what it has written is kept.
[[noreturn, gnu::format(printf, 1, 2)]] void end_program(const char* why, ...);

/// The same, and the program goes on.
[[gnu::format(printf, 1, 2)]] void warn(const char* why, ...);

/// The error directive, at execution [OpenMP 5.2, 8.5.3]. `where` is null if the interface does not say it. The message may lack
/// a zero at its end, or be empty.
void warn_for_program(const char* where, const char* message, int length);
[[noreturn]] void end_for_program(const char* where, const char* message, int length);

}  // namespace weir::openmp
