// What all workers of the process do, in words: leat::describe.
#pragma once

#include <iosfwd>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI {

/// Writes a description of each runtime of the process to `out`: the default runtime, runtimes and teams. It has a line for
/// each worker: its number, the name of its thread, and whether it executes a task, searches for work, has nothing to do, is in
/// leat::blocking, or waits, in which construct, for how long, and for what which worker executes. Waits of threads outside
/// follow, and circles of waits. A source line is named below a wait if hangs are reported (options::hang_report_s), and
/// below a task that is executed; with debug information as file and line, and if the program addr2line is installed.
///
/// Thread safety: any thread may call it at any time, but inside a signal's handler. The workers go on meanwhile, so what it
/// says of two of them may be of different moments. A runtime cannot end meanwhile: its destructor waits.
///
/// Cost: about 0.1 ms for each worker that executes a task, which is interrupted by SIGURG to note its calls; and the time of
/// addr2line, at most 10 s for each shared object. addr2line is a child of the process, for which a program that waits for
/// any child may find itself waiting. Nothing is paid by a program that does not call it. Simulated programs have no
/// description.
/// \throws std::bad_alloc, and what `out` throws
void describe(std::ostream& out);

}  // namespace leat::inline LEAT_ABI
