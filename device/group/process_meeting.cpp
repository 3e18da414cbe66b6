// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/device/group/process_meeting.h>

#include <cstring>

namespace fathom {
namespace {

/// What a message is about; its first byte.
enum class About : unsigned char { call, bytes, end };

/// All processes run the same program, so that numbers are the same bytes in each.
class Writer {
 public:
  explicit Writer(About about) { add(about); }

  template <class T>
  void add(const T& value) {
    append(&value, sizeof(value));
  }
  void add_parts(const std::vector<Part>& parts) {
    add(parts.size());
    append(parts.data(), parts.size() * sizeof(Part));
  }
  void append(const void* from, std::size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(from);
    message_.insert(message_.end(), begin, begin + bytes);
  }
  Message message() { return std::move(message_); }

 private:
  Message message_;
};

class Reader {
 public:
  explicit Reader(const Message& message) : message_(message) {}

  template <class T>
  T take() {
    T value;
    copy(&value, sizeof(value));
    return value;
  }
  std::vector<Part> take_parts() {
    std::vector<Part> parts(take<std::size_t>());
    copy(parts.data(), parts.size() * sizeof(Part));
    return parts;
  }
  std::string rest() {
    std::string text(message_.size() - at_, '\0');
    copy(text.data(), text.size());
    return text;
  }

 private:
  void copy(void* to, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, message_.data() + at_, bytes);
    at_ += bytes;
  }

  const Message& message_;
  std::size_t at_ = sizeof(About);
};

About subject_of(const Message& message) {
  return About(message.front());
}

Message message_of(const ExchangeCall& call, const std::string& fault) {
  Writer writer(About::call);
  writer.add(call.kind);
  writer.add(call.from);
  writer.add(call.to);
  writer.add_parts(call.sent);
  writer.add_parts(call.received);
  writer.append(fault.data(), fault.size());
  return writer.message();
}

Message message_of_end(const std::string& how) {
  Writer writer(About::end);
  writer.append(how.data(), how.size());
  return writer.message();
}

}  // namespace

ProcessMeeting::ProcessMeeting(Processes& processes, std::chrono::nanoseconds limit)
    : processes_(processes),
      limit_(limit),
      calls_(std::size_t(processes.size())),
      faults_(calls_.size()),
      ends_(calls_.size()) {
  if (processes.has_given_up())
    throw ExchangeFailure("another process did not answer: start all of them again");
}

std::vector<int> ProcessMeeting::others() const {
  std::vector<int> others;
  for (int rank = 0; rank < processes_.size(); ++rank)
    if (rank != processes_.rank()) others.push_back(rank);
  return others;
}

void ProcessMeeting::run(int, const std::function<void()>& each) {
  std::exception_ptr thrown;
  try {
    each();
  } catch (...) {
    thrown = std::current_exception();
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = thrown;
  }
  if (thrown) fail(rank_text(std::size_t(processes_.rank())) + how_it_ended(thrown));
  try {
    end(thrown);
  } catch (const ExchangeFailure& of_others) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = of_others.what();
    if (!first_) first_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

/// Throws ExchangeFailure if another rank has not ended well.
void ProcessMeeting::end(const std::exception_ptr& thrown) {
  if (processes_.has_given_up()) return;
  const Message how = message_of_end(thrown ? how_it_ended(thrown) : "");
  for (const int other : others()) processes_.send(other, how);
  for (const int other : others())
    while (!ends_[std::size_t(other)]) {
      // After a failure the others may have sent more than this rank has received.
      const Message message = awaited(processes_, other, limit_, "ended", [] {});
      if (subject_of(message) == About::end) ends_[std::size_t(other)] = Reader(message).rest();
    }
  for (const int other : others())
    if (const std::string& ending = *ends_[std::size_t(other)]; !ending.empty())
      throw ExchangeFailure(rank_text(std::size_t(other)) + ending);
}

void ProcessMeeting::meet(int rank, ExchangeCall call) {
  throw_if_failed();
  {
    const std::lock_guard lock(mutex_);
    ++exchanges_;
  }
  step_ = call_text(call.kind) + ": ";
  const auto own = std::size_t(rank);
  faults_[own] = fault_of_own(call).value_or("");
  for (const int other : others()) processes_.send(other, message_of(call, faults_[own]));
  calls_[own] = std::move(call);
  for (const int other : others())
    if (const auto message = next_from(other)) {
      Reader reader(*message);
      const auto kind = reader.take<ExchangeKind>();
      const auto* const from = reader.take<const std::byte*>();
      auto* const to = reader.take<std::byte*>();
      std::vector<Part> sent = reader.take_parts(), received = reader.take_parts();
      calls_[std::size_t(other)] = {kind, from, to, std::move(sent), std::move(received)};
      faults_[std::size_t(other)] = reader.rest();
    }
  if (const auto why = fault_of_ranks()) throw ExchangeFailure(failed(*why));
  once_met(calls_[own]);
}

/// The same on all ranks.
std::optional<std::string> ProcessMeeting::fault_of_ranks() const {
  for (std::size_t rank = 0; rank < ends_.size(); ++rank)
    if (ends_[rank]) return rank_text(rank) + (ends_[rank]->empty() ? " ended before it" : *ends_[rank]);
  const std::string step = call_text(calls_[0].kind) + ": ";
  if (const auto wrong = fault_of(calls_)) return step + *wrong;
  for (const std::string& fault : faults_)
    if (!fault.empty()) return step + fault;
  return std::nullopt;
}

/// nullopt if the rank has ended.
std::optional<Message> ProcessMeeting::next_from(int rank) {
  std::optional<std::string>& end = ends_[std::size_t(rank)];
  if (end) return std::nullopt;
  const auto while_waiting = [&] {
    throw_if_failed();
    check_interruption();
  };
  Message message;
  try {
    message = awaited(processes_, rank, limit_, "come to it", while_waiting);
  } catch (const ExchangeFailure& failure) {
    throw ExchangeFailure(failed(step_ + failure.what()));
  }
  if (subject_of(message) != About::end) return message;
  end = Reader(message).rest();
  return std::nullopt;
}

void ProcessMeeting::send_bytes(int to, const std::byte* bytes, std::size_t count) {
  Writer writer(About::bytes);
  writer.append(bytes, count);
  processes_.send(to, writer.message());
}

Message ProcessMeeting::bytes_from(int rank) {
  auto message = next_from(rank);
  if (!message) throw ExchangeFailure(failed(*fault_of_ranks()));
  message->erase(message->begin());
  return *std::move(message);
}

void ProcessMeeting::throw_if_failed() const {
  const std::lock_guard lock(mutex_);
  if (failure_) throw ExchangeFailure(*failure_);
}

std::string ProcessMeeting::failed(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = "exchange " + std::to_string(exchanges_) + ": " + why;
  return *failure_;
}

void ProcessMeeting::fail(const std::string& why) {
  const auto failure = std::make_exception_ptr(ExchangeFailure(failed(why)));
  const std::lock_guard lock(mutex_);
  if (!first_) first_ = failure;
}

bool ProcessMeeting::has_failed() const {
  const std::lock_guard lock(mutex_);
  return failure_.has_value();
}

bool ProcessMeeting::all_ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void ProcessMeeting::rethrow_first() const {
  const std::lock_guard lock(mutex_);
  if (first_) std::rethrow_exception(first_);
}

void in_all_processes(Processes& processes, std::chrono::nanoseconds limit,
                      const std::function<void()>& each) {
  ProcessMeeting meeting(processes, limit);
  meeting.run(processes.rank(), each);
  meeting.rethrow_first();
}

}  // namespace fathom
