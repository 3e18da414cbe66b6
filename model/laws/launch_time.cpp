// SPDX-License-Identifier: Apache-2.0
// The law `counted` for one launch, as docs/law.md has it. All of it is one class because each formula of a
// wave needs the clocks of a block, what the L2 holds, and the machine's rates.
#include <fathom/model/laws/counted.h>

#include <fathom/model/laws/dual.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace fathom {

double bytes_touched(const Work& work, const LaunchShape& shape) {
  const double of_a_block =
      shape.in_place ? std::max(work.bytes_read, work.bytes_written) : work.bytes_read + work.bytes_written;
  return of_a_block * shape.blocks;
}

namespace {

using real::exp;
using real::log;
using real::max;

constexpr double bytes_per_word = 4, bytes_per_sector = 32, bytes_per_line = 128, bytes_per_instruction = 16;

/// (Σ a^q)^(1/q).
template <class Real, std::size_t count>
Real norm(const std::array<Real, count>& values, const Real& q) {
  Real most{0};
  for (const Real& value : values) most = max(most, value);
  if (!(most > 0)) return most;
  // 0.05^q of the sum, which q ≥ 4 makes less than 1e-5, is not worth a logarithm.
  const Real negligible = q < 4 ? Real(0) : Real(0.05 * most);
  Real sum{0};
  for (const Real& value : values)
    if (value == most)
      sum += 1;
    else if (value > negligible)
      sum += exp(Real(q * log(Real(value / most))));
  return sum == 1 ? most : Real(most * exp(Real(log(sum) / q)));
}

template <class Real>
class TimedLaunch {
 public:
  TimedLaunch(const Work& work, const LaunchShape& shape, const Machine<Real>& machine, const Work& once,
              const Factors<Real>& factors)
      : work_(work),
        shape_(shape),
        machine_(machine),
        factors_(factors),
        warps_(std::ceil(double(shape.threads_per_block) / machine.warp_width)),
        reach_(std::max(bytes_touched(work, shape), shape.reach_bytes)),
        share_(l2_share(Real(reach_), reads_only(), machine)),
        atomics_once_(real::min(clocks_of_atomics(once), clocks_of_atomics(work))),
        clocks_(clocks_of_a_block()),
        reading_(factors.work * clocks_of_reading()),
        memory_of_a_lone_block_(shape.exposed_traffic * factors.work *
                                at_rates_of_the_l2(streamed(), written(), scattered())),
        alone_(time_of_a_warp_alone(work)),
        once_(real::min(time_of_a_warp_alone(once), alone_)),
        waiting_(alone_ - once_ + sleep()),
        q_(rate(machine.rates.overlap, "overlap")),
        s_(rate(machine.rates.knee, "knee")),
        pipes_of_a_block_(pipes(clocks_)),
        alone_in_a_block_(alone_in_a_block()) {}

  LaunchTime<Real> time() const {
    const double on_each = shape_.blocks / machine_.multiprocessors;
    const double full_waves = std::floor(on_each / shape_.resident);
    const double rest = on_each - full_waves * shape_.resident;
    LaunchTime<Real> time;
    if (full_waves > 0) {
      const Wave full = wave(shape_.resident, shape_.resident);
      add_first(full, time);
      if (full_waves > 1) add_later(full, full_waves - 1, time);
    }
    if (rest > 0) {
      const Wave last = wave(std::ceil(rest), rest);
      full_waves > 0 ? add_later(last, 1, time) : add_first(last, time);
    }
    const Real per_clock = 1 / Real(machine_.clock.value);
    time.alone[at(Resource::atomics)] += factors_.work * atomics_once_;
    for (Real& alone : time.alone) alone *= per_clock;
    time.busy = (time.busy + once_ + factors_.work * atomics_once_) * per_clock;
    time.alone[at(Resource::waiting)] += once_ * per_clock;
    time.fixed = required(machine_.kernel_gap, "kernel_gap", machine_.name) + start_of_dram() +
                 fetched_instructions() * rate(machine_.rates.fetch, "fetch") * per_clock;
    return time;
  }

 private:
  using Clocks = std::array<Real, all_resources.size()>;
  static std::size_t at(Resource resource) { return std::size_t(resource); }

  const Real& rate(const std::optional<Real>& value, std::string_view name) const {
    return required(value, name, machine_.name);
  }
  bool reads_only() const { return work_.bytes_written < 0.01 * work_.bytes_read; }

  /// Clocks of each resource for a block. DRAM and L2 serve all multiprocessors: these clocks are those of a
  /// multiprocessor's share of them.
  Clocks clocks_of_a_block() const {
    Clocks clocks = counted_clocks();
    for (Real& each : clocks) each *= factors_.work;
    return clocks;
  }

  Clocks counted_clocks() const {
    const Rates<Real>& rates = machine_.rates;
    const Real written_to_dram = (1 - share_) * std::min(written(), work_.bytes_written);

    Clocks clocks{};
    clocks[at(Resource::dram)] = at_rates_of_dram(read_from_dram(), written_to_dram, scattered_from_dram()) +
                                 clocks_of_all() * seconds(Real((1 - share_) * work_.resumed_sectors),
                                                           rates.dram_resumed, "dram.resumed");
    clocks[at(Resource::l2)] =
        at_rates_of_the_l2(Real(streamed() - read_from_dram()), Real(written() - written_to_dram),
                           Real(scattered() - scattered_from_dram()));
    clocks[at(Resource::shared)] = (work_.shared_wavefronts + work_.global_lines + work_.shuffles) /
                                   rate(rates.wavefronts, "pipe.wavefronts");
    clocks[at(Resource::alu)] = work_.alu / rate(rates.alu, "pipe.alu");
    clocks[at(Resource::fma)] = work_.fma / rate(rates.fma, "pipe.fma");
    clocks[at(Resource::issue)] = work_.instructions / rate(rates.issue, "pipe.issue");
    clocks[at(Resource::barriers)] = work_.barriers * warps_ / rate(rates.barriers, "pipe.barriers");
    clocks[at(Resource::in_flight)] = (1 - share_) * work_.lines_read * bytes_per_line *
                                      rate(rates.loaded_latency, "wait.loaded") / room_for_loads();
    clocks[at(Resource::atomics)] =
        machine_.multiprocessors / shape_.blocks * (clocks_of_atomics(work_) - atomics_once_);
    if (machine_.block_start && machine_.warp_start)
      clocks[at(Resource::starts)] = max(*machine_.block_start, Real(*machine_.warp_start * warps_));
    return clocks;
  }

  /// DRAM changes between reading and writing more often if blocks are at many places at a time.
  const Real& copy_rate_of_dram() const {
    const Rates<Real>& rates = machine_.rates;
    const bool at_many_places = shape_.fixed_grid && !shape_.in_turn;
    return at_many_places && rates.dram_copy_by_grid ? *rates.dram_copy_by_grid
                                                     : rate(rates.dram_copy, "dram.copy");
  }

  // Traffic that leaves the multiprocessor: streams, in bytes, and scattered sectors.
  double scattered() const { return std::min(work_.scattered_sectors, work_.sectors_read); }
  double streamed() const { return (work_.sectors_read - scattered()) * bytes_per_sector; }
  double written() const { return work_.sectors_written * bytes_per_sector; }

  // DRAM serves what is read for the first time and the L2 does not hold; the L2 serves the rest.
  Real read_from_dram() const { return (1 - share_) * std::min(streamed(), work_.bytes_read); }
  Real scattered_from_dram() const {
    return (1 - share_of_scattered()) * std::min(scattered(), work_.bytes_read / bytes_per_word);
  }

  /// Clocks of DRAM and L2 for what a block reads, if nothing is written meanwhile.
  Real clocks_of_reading() const {
    return at_rates_of_dram(read_from_dram(), Real(0), scattered_from_dram()) +
           at_rates_of_the_l2(Real(streamed() - read_from_dram()), Real(0),
                              Real(scattered() - scattered_from_dram()));
  }

  /// The clocks of all multiprocessors in a second.
  Real clocks_of_all() const { return machine_.multiprocessors * Real(machine_.clock.value); }

  Real at_rates_of_dram(const Real& read, const Real& written, const Real& scattered) const {
    const Rates<Real>& rates = machine_.rates;
    return clocks_of_all() * (transfer(read, written, rate(rates.dram_read, "dram.read"),
                                       rate(rates.dram_write, "dram.write"), copy_rate_of_dram()) +
                              seconds(scattered, rates.dram_scattered, "dram.scattered"));
  }

  Real at_rates_of_the_l2(const Real& read, const Real& written, const Real& scattered) const {
    const Rates<Real>& rates = machine_.rates;
    return clocks_of_all() * (transfer(read, written, rate(rates.l2_read, "l2.read"),
                                       rate(rates.l2_write, "l2.write"), rate(rates.l2_copy, "l2.copy")) +
                              seconds(scattered, rates.l2_scattered, "l2.scattered"));
  }

  /// The seconds of two streams of bytes. What is read and written at the same time moves as in a copy.
  static Real transfer(const Real& read, const Real& written, const Real& read_rate, const Real& write_rate,
                       const Real& copy_rate) {
    const Real both = real::min(read, written);
    return (read - both) / read_rate + (written - both) / write_rate + 2 * both / copy_rate;
  }

  /// The seconds of sectors; the rate is not asked for if there are none.
  Real seconds(const Real& sectors, const std::optional<Real>& per_second, std::string_view name) const {
    return sectors > 0 ? Real(sectors / rate(per_second, name)) : Real(0);
  }

  /// A stream that is too long for the L2 has displaced its beginning when it comes back to it; a random
  /// access finds whatever fits.
  Real share_of_scattered() const {
    const auto& half = reads_only() && machine_.l2_half_reading ? machine_.l2_half_reading : machine_.l2_half;
    if (!half || !(reach_ > 0)) return Real(0);
    return real::min(Real(1), Real(*half / reach_));
  }
  bool is_scattered() const { return work_.scattered_sectors > 0.5 * work_.sectors_read; }

  Real latency() const {
    const Real share = is_scattered() ? share_of_scattered() : share_;
    return (1 - share) * rate(machine_.rates.dram_latency, "wait.dram") +
           share * rate(machine_.rates.l2_latency, "wait.l2");
  }

  /// The clocks of the launch, whose blocks are taken to change the same sectors, as those of a histogram do.
  /// Each slice of the L2 changes a sector at a time, and few bytes lie in few slices: the rate is measured
  /// for some numbers of bytes, and in between goes with a power of them.
  Real clocks_of_atomics(const Work& work) const {
    if (!(work.atomic_sectors > 0)) return Real(0);
    const Rates<Real>& rates = machine_.rates;
    struct Measured {
      double bytes;
      const Real& rate;
    };
    const std::array measured{Measured{128, rate(rates.atomics_line, "atomics.line")},
                              Measured{1024, rate(rates.atomics_kib, "atomics.kib")},
                              Measured{65536, rate(rates.atomics_64_kib, "atomics.64_kib")}};
    const double bytes =
        std::clamp(work.atomic_sectors * bytes_per_sector, measured.front().bytes, measured.back().bytes);
    const auto& [low, high] =
        bytes < measured[1].bytes ? std::pair(measured[0], measured[1]) : std::pair(measured[1], measured[2]);
    const double part = std::log(bytes / low.bytes) / std::log(high.bytes / low.bytes);
    const Real per_second =
        part == 1 ? high.rate : Real(low.rate * exp(Real(part * log(Real(high.rate / low.rate)))));
    return work.atomic_sectors * shape_.blocks / per_second * Real(machine_.clock.value);
  }

  /// The L1 holds loads in flight; shared memory takes its room.
  double room_for_loads() const {
    return l1_bytes(machine_.limits, shape_.resident, shape_.shared_bytes_per_block, shape_.carveout);
  }

  /// λ, without sleep.
  Real time_of_a_warp_alone(const Work& work) const {
    const Rates<Real>& rates = machine_.rates;
    const Real none{0};
    const Real& near = rate(rates.shared_latency, "wait.shared");
    // Reads of constants and special registers, special functions: not measured, but of the same order.
    const Real other = work.other_waits * near;
    return factors_.waiting *
           (work.issue_clocks + max(none, Real(work.global_waits * latency() - work.global_hidden)) +
            max(none, Real(work.shared_waits * near - work.shared_hidden)) + other +
            work.barriers * rate(rates.barrier_latency, "wait.barrier"));
  }

  Real sleep() const {
    if (shape_.sleep_s == 0) return Real(0);
    return shape_.sleep_s * machine_.clock.value * rate(machine_.rates.sleep, "sleep");
  }

  /// A of one block: that of R is R^−decay of it.
  Real alone_in_a_block() const {
    const double held_together = std::min(1.0, work_.barriers / std::max(1.0, work_.global_waits));  // κ
    return held_together < 1 ? Real(held_together + (1 - held_together) * decayed(warps_)) : Real(1);
  }

  /// Blocks that would take as long if the schedulers of a multiprocessor, each with pipes of its own, had
  /// equally many warps.
  double as_if_balanced(double blocks) const {
    constexpr double schedulers = 4;
    return std::ceil(blocks * warps_ / schedulers) * schedulers / warps_;
  }

  /// What a wave of blocks does, without what it waits.
  struct Wave {
    double most, mean;  ///< blocks on the fullest multiprocessor, and on all
    Clocks clocks;
    Real memory, pipes;  ///< clocks
    Real work;           ///< W
    Real alone;          ///< share·A
  };

  /// P of what these clocks are of.
  Real pipes(const Clocks& clocks) const {
    return norm(std::array{clocks[at(Resource::shared)], clocks[at(Resource::alu)], clocks[at(Resource::fma)],
                           clocks[at(Resource::issue)], clocks[at(Resource::barriers)]},
                q_);
  }

  Wave wave(double most, double mean) const {
    const double balanced = as_if_balanced(most);
    Wave wave{most, mean, clocks_, {}, {}, {}, {}};
    for (Real& each : wave.clocks) each *= most;
    for (const Resource shared_by_all : {Resource::dram, Resource::l2, Resource::atomics})
      wave.clocks[at(shared_by_all)] = mean * clocks_[at(shared_by_all)];
    for (const Resource of_schedulers : {Resource::alu, Resource::fma, Resource::issue})
      wave.clocks[at(of_schedulers)] = balanced * clocks_[at(of_schedulers)];
    wave.memory = wave.clocks[at(Resource::dram)] + wave.clocks[at(Resource::l2)];
    // ‖R·c‖ = R·‖c‖
    wave.pipes = balanced == most ? Real(most * pipes_of_a_block_) : pipes(wave.clocks);
    wave.work = norm(std::array{wave.memory, wave.pipes, wave.clocks[at(Resource::in_flight)],
                                wave.clocks[at(Resource::atomics)]},
                     q_);
    wave.alone = rate(machine_.rates.phase_share, "phase.share") * decayed(most) * alone_in_a_block_;
    return wave;
  }

  /// count^−decay
  Real decayed(double count) const {
    return exp(Real(-rate(machine_.rates.phase_decay, "phase.decay") * std::log(count)));
  }

  /// T'
  Real overlapped(const Wave& wave, const Real& waiting) const {
    const Real overlapped = norm(std::array{wave.work, waiting}, s_);
    const Real one_after_another =  // of all blocks: R·T₁
        wave.mean * memory_of_a_lone_block_ + wave.pipes + wave.most * waiting;
    return overlapped + max(Real(0), Real(wave.alone * (one_after_another - overlapped)));
  }

  /// What blocks that start together take at least: all of them read before any has what it works on. They
  /// end at different times, so that some write while others work.
  Real in_step(const Wave& wave) const {
    const Real reading = wave.mean * reading_, working = norm(std::array{wave.pipes, waiting_}, s_);
    return reading + norm(std::array{working, max(Real(0), Real(wave.memory - reading))}, q_);
  }

  /// The blocks start one after another.
  void add_first(const Wave& wave, LaunchTime<Real>& time) const {
    const Real starts = (wave.most - 1) * clocks_[at(Resource::starts)];  // the first one's is the launch's
    // A block of a fixed grid reads again and again.
    const Real least = shape_.fixed_grid ? Real(0) : in_step(wave);
    add(wave, waiting_, starts, 1, Real(max(overlapped(wave, waiting_), least) + starts), time);
  }

  /// The blocks start when others have ended.
  void add_later(const Wave& wave, double repeats, LaunchTime<Real>& time) const {
    const Real waiting = waiting_ + rate(machine_.rates.turnover, "wait.turnover");
    const Real& starts = wave.clocks[at(Resource::starts)];
    add(wave, waiting, starts, repeats, max(overlapped(wave, waiting), starts), time);
  }

  void add(const Wave& wave, const Real& waiting, const Real& starts, double repeats, const Real& busy,
           LaunchTime<Real>& time) const {
    Clocks clocks = wave.clocks;
    clocks[at(Resource::waiting)] = waiting;
    clocks[at(Resource::starts)] = starts;
    for (const Resource resource : all_resources) time.alone[at(resource)] += repeats * clocks[at(resource)];
    time.busy += repeats * busy;
  }

  Real start_of_dram() const {
    if (!machine_.dram_start) return Real(0);
    return (1 - share_) * *machine_.dram_start;
  }
  double fetched_instructions() const { return work_.code_bytes / bytes_per_instruction; }

  const Work& work_;
  const LaunchShape& shape_;
  const Machine<Real>& machine_;
  const Factors<Real>& factors_;
  double warps_;       ///< of a block
  double reach_;       ///< bytes
  Real share_;         ///< of what the launch touches, that the L2 holds
  Real atomics_once_;  ///< clocks of the launch, when all blocks of a fixed grid end
  Clocks clocks_;
  Real reading_;                 ///< clocks of DRAM and L2 for what a block reads
  Real memory_of_a_lone_block_;  ///< α·c_memory: that which overlaps nothing
  Real alone_, once_, waiting_;  ///< λ: all that it works and waits; of a fixed grid's block once; the rest
  Real q_, s_;
  // What waves of blocks have in common.
  Real pipes_of_a_block_, alone_in_a_block_;
};

}  // namespace

template <class Real>
LaunchTime<Real> launch_time(const Work& work, const LaunchShape& shape, const Machine<Real>& machine,
                             const Work& once, const Factors<Real>& factors) {
  return TimedLaunch<Real>(work, shape, machine, once, factors).time();
}
template LaunchTime<double> launch_time(const Work&, const LaunchShape&, const Machine<double>&, const Work&,
                                        const Factors<double>&);
template LaunchTime<Dual> launch_time(const Work&, const LaunchShape&, const Machine<Dual>&, const Work&,
                                      const Factors<Dual>&);

}  // namespace fathom
