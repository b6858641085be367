// The transport between the processes of an MPI program.
#pragma once

#include <memory>

#include "leat/cluster/transport.hpp"

namespace leat::inline LEAT_ABI {

/// A transport that joins all processes of MPI_COMM_WORLD, for leat::cluster. Initialises MPI with
/// MPI_THREAD_SERIALIZED unless that is done already; then it is also finalised when the transport ends. Started
/// without a launcher there is one rank.
///
/// One thread at a time may use it. If MPI gives less than MPI_THREAD_SERIALIZED, only the thread that calls may. An MPI that gives MPI_THREAD_SINGLE
/// only is good for programs without any other thread. It uses a communicator and a window of its own, so the program may go on using
/// MPI beside it, between runs. It makes no use of compare-and-swap, of dynamic windows, nor of collective operations
/// but to begin, to open the window, and to end: its destructor waits for those of all other ranks. If an exception
/// has come out on one rank alone, that is for eight seconds, and then ends all ranks.
///
/// A rank that dies takes the others with it, by way of the launcher: mpiexec names the rank and the signal.
///
/// An error of MPI ends all ranks, by MPI's own handler. If the program has chosen that errors of MPI_COMM_WORLD are
/// returned, one before the transport exists is thrown instead.
///
/// \throws std::runtime_error  MPI cannot be initialised, or gives no communicator
/// \throws std::logic_error    MPI has been finalised
/// \param argc, argv  main's, for MPI_Init_thread; may be null
std::unique_ptr<ranks::transport> mpi_transport(int* argc = nullptr, char*** argv = nullptr);

}  // namespace leat::inline LEAT_ABI
