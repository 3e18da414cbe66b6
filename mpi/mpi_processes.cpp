// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/executor.h>
#include <fathom/device/group/communicator.h>
#include <fathom/mpi/mpi_processes.h>

#include <mpi.h>

#include <limits>
#include <list>

namespace fathom {

// Errors of MPI end all processes, with its own words: none of them is one to go on after.
struct MpiProcesses::Implementation {
  struct Sent {
    Message message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool is_started_here = false;
  MPI_Comm all = MPI_COMM_NULL;
  int rank = 0, size = 1, rank_on_host = 0, size_on_host = 1;
  std::list<Sent> sent;  ///< that may not have left

  void forget_what_has_left() {
    std::erase_if(sent, [](Sent& one) {
      int has_left = 0;
      MPI_Test(&one.request, &has_left, MPI_STATUS_IGNORE);
      return has_left != 0;
    });
  }
};

MpiProcesses::MpiProcesses() : implementation_(std::make_unique<Implementation>()) {
  Implementation& self = *implementation_;
  int is_started = 0, threads = 0;
  MPI_Initialized(&is_started);
  self.is_started_here = !is_started;
  // A group of GPUs runs its rank on a thread of its own.
  if (is_started)
    MPI_Query_thread(&threads);
  else
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads);
  if (threads < MPI_THREAD_SERIALIZED) {
    if (self.is_started_here) MPI_Finalize();
    throw DeviceUnavailable(
        "MPI may be called by its first thread alone: start it with MPI_THREAD_SERIALIZED");
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &self.all);
  MPI_Comm_rank(self.all, &self.rank);
  MPI_Comm_size(self.all, &self.size);
  MPI_Comm on_host;
  MPI_Comm_split_type(self.all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &on_host);
  MPI_Comm_rank(on_host, &self.rank_on_host);
  MPI_Comm_size(on_host, &self.size_on_host);
  MPI_Comm_free(&on_host);
}

MpiProcesses::~MpiProcesses() {
  Implementation& self = *implementation_;
  if (has_given_up()) MPI_Abort(MPI_COMM_WORLD, 1);
  for (Implementation::Sent& one : self.sent) MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&self.all);
  if (self.is_started_here) MPI_Finalize();
}

int MpiProcesses::rank() const {
  return implementation_->rank;
}
int MpiProcesses::size() const {
  return implementation_->size;
}
int MpiProcesses::rank_on_host() const {
  return implementation_->rank_on_host;
}
int MpiProcesses::size_on_host() const {
  return implementation_->size_on_host;
}

void MpiProcesses::send(int to, Message message) {
  if (message.size() > std::size_t(std::numeric_limits<int>::max()))
    throw ExchangeFailure("a process sends another one less than 2 GiB at a time");
  implementation_->forget_what_has_left();
  Implementation::Sent& sent = implementation_->sent.emplace_back(Implementation::Sent{std::move(message)});
  MPI_Isend(sent.message.data(), int(sent.message.size()), MPI_BYTE, to, 0, implementation_->all,
            &sent.request);
}

std::optional<Message> MpiProcesses::received(int from) {
  implementation_->forget_what_has_left();
  int has_come = 0;
  MPI_Message matched;
  MPI_Status status;
  MPI_Improbe(from, 0, implementation_->all, &has_come, &matched, &status);
  if (!has_come) return std::nullopt;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  Message message;
  message.resize(std::size_t(bytes));
  MPI_Mrecv(message.data(), bytes, MPI_BYTE, &matched, MPI_STATUS_IGNORE);
  return message;
}

}  // namespace fathom
