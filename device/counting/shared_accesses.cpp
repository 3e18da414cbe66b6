// SPDX-License-Identifier: Apache-2.0
// Who may touch an element of shared memory when: races, elements never written, copies in flight.
#include <fathom/device/counting/block_state.h>

#include <algorithm>

namespace fathom::counting {

template <class Matters>
std::optional<Moment> SharedElement::race_with_touch(Moment now, Matters matters) const {
  for (const Moment touch : touches_)
    if (touch.ever() && matters(touch) && !touch.is_before(now)) return touch;
  return std::nullopt;
}

std::optional<Moment> SharedElement::race_of_read(Moment now) const {
  if (write_.ever() && !write_.is_before(now)) return write_;
  return race_with_touch(now, [](Moment touch) { return touch.kind() == Moment::Kind::atomic; });
}

std::optional<Moment> SharedElement::race_of_write(Moment now) const {
  if (write_.ever() && !write_.is_before(now)) return write_;
  return race_with_touch(now, [](Moment) { return true; });
}

std::optional<Moment> SharedElement::race_of_atomic(Moment now) const {
  if (write_.ever() && !write_.is_before(now)) return write_;
  return race_with_touch(now, [](Moment touch) { return touch.kind() == Moment::Kind::plain; });
}

std::optional<Moment> SharedElement::race_of_copy(Moment now) const {
  for (const Moment other : {write_, touches_[0], touches_[1]})
    if (other.ever() && !other.is_separated_from(now)) return other;
  return std::nullopt;
}

void SharedElement::read(Moment now) {
  // A thread's read before its own atomic still matters for atomics of other threads, and vice versa.
  const auto is_stale = [&](Moment touch) {
    return touch.is_separated_from(now) || (touch.thread() == now.thread() && touch.kind() == now.kind());
  };
  for (Moment& touch : touches_)
    if (!touch.ever() || is_stale(touch)) {
      touch = now;
      if (&touch == &touches_[0] && is_stale(touches_[1])) touches_[1] = {};
      return;
    }
  if (touches_[0].warp() == touches_[1].warp()) touches_[1] = now;
}

Moment BlockState::now(Moment::Kind kind) const {
  return {block_epoch_, warp_epochs_[std::size_t(running_ / warp_width)], running_, kind};
}

SharedElement& BlockState::element_at(std::size_t offset) {
  auto& elements = elements_[offset % 4];
  if (elements.empty()) elements.resize((shared_.size() + 3) / 4);
  return elements[offset / 4];
}

namespace {

/// Verbs for the access of the running thread and for an earlier one.
struct Verbs {
  const char *present, *past;
};
constexpr Verbs reading{"reads", "read"}, writing{"writes", "wrote"},
    changing{"changes atomically", "changed atomically"},
    copying{"starts a copy into", "started a copy into"};

std::string element_name(std::size_t offset) {
  return "the element at byte " + std::to_string(offset) + " of shared memory";
}

}  // namespace

void BlockState::fail_race(const char* verb, Moment other, const SharedElement& element, std::size_t offset,
                           Where where) const {
  const bool by_write = element.last_write().ever() && element.last_write().is_same(other);
  const Verbs verbs = other.kind() == Moment::Kind::atomic ? changing : by_write ? writing : reading;
  fail(std::string("race: ") + verb + " " + element_name(offset) + ", which thread " +
           std::to_string(other.thread()) + " " + verbs.past + " with no barrier in between",
       where);
}

void BlockState::access_shared(Access access, const void* address, std::size_t bytes, Where where,
                               std::size_t member) {
  if (access == Access::shared_atomic && how_.alternates()) threads_[std::size_t(running_)].fiber.suspend();
  const std::size_t offset = offset_of(address);
  if (how_.check_shared) check_shared_access(access, offset, where);
  this->access({access, offset + member, bytes, where});
}

void BlockState::check_shared_access(Access access, std::size_t offset, Where where) {
  const Moment moment = now(access == Access::shared_atomic ? Moment::Kind::atomic : Moment::Kind::plain);
  SharedElement& element = element_at(offset);  // identified by its first byte: arrays do not overlap
  const Verbs verbs = access == Access::shared_load    ? reading
                      : access == Access::shared_store ? writing
                                                       : changing;
  if (element.written_since(first_epoch_)) {
    if (element.copy_in_flight())
      fail(std::string(verbs.present) + " " + element_name(offset) +
               ", the destination of a copy that was not waited for",
           where);
  } else if (access != Access::shared_store) {
    fail(std::string(verbs.present) + " " + element_name(offset) + ", which was never written", where);
  }
  const auto race = access == Access::shared_load    ? element.race_of_read(moment)
                    : access == Access::shared_store ? element.race_of_write(moment)
                                                     : element.race_of_atomic(moment);
  if (race) fail_race(verbs.present, *race, element, offset, where);
  access == Access::shared_store ? element.write(moment) : element.read(moment);
}

void BlockState::copy_begins(const void* address, Where where) {
  if (!how_.check_shared) return;
  const std::size_t offset = offset_of(address);
  SharedElement& element = element_at(offset);
  const Moment moment = now(Moment::Kind::copy_in_flight);
  if (element.written_since(first_epoch_) && element.copy_in_flight())
    fail(std::string(copying.present) + " " + element_name(offset) +
             ", the destination of another copy that was not waited for",
         where);
  if (const auto race = element.race_of_copy(moment))
    fail_race(copying.present, *race, element, offset, where);
  element.write(moment);
}

void BlockState::copy_ends(const void* address) {
  if (how_.check_shared) element_at(offset_of(address)).write(now());
}

void BlockState::claim_arrival(const void* address, Where where) {
  if (!how_.check_shared) return;
  SharedElement& element = element_at(offset_of(address));
  if (element.written_since(first_epoch_))
    fail("sets up the arrival word at byte " + std::to_string(offset_of(address)) +
             " of shared memory, which is already in use: give every stage of every warp its own",
         where);
  element.write(now());
}

}  // namespace fathom::counting
