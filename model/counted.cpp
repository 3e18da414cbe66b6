#include <fathom/model/counted.h>

#include <fathom/model/dual.h>

#include <cmath>
#include <string>

namespace fathom {
namespace {

using real::exp;
using real::log;
using real::max;

constexpr double bytes_per_sector = 32, bytes_per_instruction = 16;
// What the L1 has beyond the largest shared memory, on every GPU since compute capability 8.0.
constexpr double least_l1_bytes = 28 * 1024;

/// (Σ a^q)^(1/q).
template <class Real, std::size_t count>
Real norm(const std::array<Real, count>& values, const Real& q) {
  Real most{0};
  for (const Real& value : values) most = max(most, value);
  if (!(most > 0)) return most;
  Real sum{0};
  for (const Real& value : values) {
    const Real ratio = value / most;
    // 0.05^q of the sum, which q ≥ 4 makes less than 1e-5, is not worth a logarithm.
    if (ratio == 1)
      sum += 1;
    else if (ratio > 0.05 || (ratio > 0 && q < 4))
      sum += exp(Real(q * log(ratio)));
  }
  return most * exp(Real(log(sum) / q));
}

template <class Real>
class TimedLaunch {
 public:
  TimedLaunch(const Work& work, const LaunchShape& shape, const Machine<Real>& machine)
      : work_(work),
        shape_(shape),
        machine_(machine),
        share_(l2_share(Real((work.bytes_read + work.bytes_written) * shape.blocks),
                        work.bytes_written < 0.01 * work.bytes_read, machine)),
        clocks_(clocks_of_a_block()),
        waiting_(time_of_a_warp_alone()),
        q_(rate(machine.rates.overlap, "overlap")) {}

  LaunchTime<Real> time() const {
    const double on_each = shape_.blocks / machine_.multiprocessors;
    const double full_waves = std::floor(on_each / shape_.resident);
    const double rest = on_each - full_waves * shape_.resident;
    LaunchTime<Real> time;
    if (full_waves > 0) add_wave(shape_.resident, shape_.resident, full_waves, time);
    if (rest > 0) add_wave(std::ceil(rest), rest, 1, time);
    const Real per_clock = 1 / Real(machine_.clock.value);
    for (Real& alone : time.alone) alone *= per_clock;
    time.busy *= per_clock;
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
  double warps() const { return std::ceil(double(shape_.threads_per_block) / machine_.warp_width); }

  /// Clocks of each resource for a block. DRAM and L2 serve all multiprocessors: these clocks are those of a
  /// multiprocessor's share of them.
  Clocks clocks_of_a_block() const {
    const Rates<Real>& rates = machine_.rates;
    const Real shared_by_all = machine_.multiprocessors * Real(machine_.clock.value);
    const double scattered = work_.scattered_sectors;
    const double streamed = max(0.0, work_.sectors_read - scattered) * bytes_per_sector;
    const double written = work_.sectors_written * bytes_per_sector;
    // The L2 serves, besides what it holds, what the launch touches more than once.
    const Real from_dram = (1 - share_) * std::min(streamed, work_.bytes_read);
    const Real to_dram = (1 - share_) * std::min(written, work_.bytes_written);

    Clocks clocks{};
    clocks[at(Resource::dram)] =
        (from_dram / rate(rates.dram_read, "dram.read") + to_dram / rate(rates.dram_write, "dram.write")) *
        shared_by_all;
    clocks[at(Resource::l2)] = ((streamed - from_dram) / rate(rates.l2_read, "l2.read") +
                                (written - to_dram) / rate(rates.l2_write, "l2.write")) *
                               shared_by_all;
    if (scattered > 0) {
      clocks[at(Resource::dram)] +=
          scattered * (1 - share_) / rate(rates.dram_scattered, "dram.scattered") * shared_by_all;
      clocks[at(Resource::l2)] +=
          scattered * share_ / rate(rates.l2_scattered, "l2.scattered") * shared_by_all;
    }
    clocks[at(Resource::shared)] = (work_.shared_wavefronts + work_.global_lines + work_.shuffles) /
                                   rate(rates.wavefronts, "pipe.wavefronts");
    clocks[at(Resource::alu)] = work_.alu / rate(rates.alu, "pipe.alu");
    clocks[at(Resource::fma)] = work_.fma / rate(rates.fma, "pipe.fma");
    clocks[at(Resource::issue)] = work_.instructions / rate(rates.issue, "pipe.issue");
    clocks[at(Resource::in_flight)] = work_.sectors_read * bytes_per_sector * latency() / room_for_loads();
    if (machine_.block_start && machine_.warp_start)
      clocks[at(Resource::starts)] = max(*machine_.block_start, Real(*machine_.warp_start * warps()));
    return clocks;
  }

  Real latency() const {
    return (1 - share_) * rate(machine_.rates.dram_latency, "wait.dram") +
           share_ * rate(machine_.rates.l2_latency, "wait.l2");
  }

  /// The L1 holds loads in flight; shared memory takes its room.
  double room_for_loads() const {
    const double most = machine_.limits.shared_bytes_per_multiprocessor;
    const double taken =
        shape_.shared_bytes_per_block > 0
            ? shape_.resident * (shape_.shared_bytes_per_block + machine_.limits.shared_bytes_reserved)
            : 0;
    return most + least_l1_bytes - shared_allotment(most, taken);
  }

  /// λ
  Real time_of_a_warp_alone() const {
    const Rates<Real>& rates = machine_.rates;
    const Real none{0};
    return work_.issue_clocks + max(none, Real(work_.global_waits * latency() - work_.global_hidden)) +
           max(none,
               Real(work_.shared_waits * rate(rates.shared_latency, "wait.shared") - work_.shared_hidden)) +
           work_.other_waits * rate(rates.other_latency, "wait.other") +
           work_.barriers * rate(rates.barrier_latency, "wait.barrier");
  }

  /// Adds `repeats` waves of `most` blocks on the fullest multiprocessor and `mean` on all.
  void add_wave(double most, double mean, double repeats, LaunchTime<Real>& time) const {
    Clocks clocks = clocks_;
    for (const Resource resource : all_resources)
      clocks[at(resource)] *= resource == Resource::dram || resource == Resource::l2 ? mean : most;
    clocks[at(Resource::waiting)] = waiting_;
    const Real overlapped = norm(clocks, q_);
    const Real one_after_another = norm(std::array{clocks[at(Resource::shared)], clocks[at(Resource::alu)],
                                                   clocks[at(Resource::fma)], clocks[at(Resource::issue)]},
                                        q_) +
                                   clocks[at(Resource::dram)] + clocks[at(Resource::l2)] +
                                   most * waiting_;  // of all blocks, so most · T₁
    const Real share = rate(machine_.rates.phase_share, "phase.share");
    const Real decay = rate(machine_.rates.phase_decay, "phase.decay");
    const Real not_overlapped = share * exp(Real(-decay * std::log(most))) * (one_after_another - overlapped);
    for (const Resource resource : all_resources) time.alone[at(resource)] += repeats * clocks[at(resource)];
    time.busy += repeats * (overlapped + max(Real(0), not_overlapped));
  }

  Real start_of_dram() const {
    if (!machine_.dram_start) return Real(0);
    return (1 - share_) * *machine_.dram_start;
  }
  double fetched_instructions() const { return work_.code_bytes / bytes_per_instruction; }

  const Work& work_;
  const LaunchShape& shape_;
  const Machine<Real>& machine_;
  Real share_;  ///< of what the launch touches, that the L2 holds
  Clocks clocks_;
  Real waiting_, q_;
};

}  // namespace

std::string_view name(Resource resource) {
  constexpr std::array<std::string_view, all_resources.size()> names{
      "dram", "l2", "shared", "alu", "fma", "issue", "in-flight", "starts", "waiting"};
  return names.at(std::size_t(resource));
}

template <class Real>
LaunchTime<Real> launch_time(const Work& work, const LaunchShape& shape, const Machine<Real>& machine) {
  return TimedLaunch<Real>(work, shape, machine).time();
}
template LaunchTime<double> launch_time(const Work&, const LaunchShape&, const Machine<double>&);
template LaunchTime<Dual> launch_time(const Work&, const LaunchShape&, const Machine<Dual>&);

template <class Real>
Plan plan_with_work(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                    const AlgorithmWork& work) {
  algorithm.check(problem);
  const OccupancyLimits& limits = machine.limits;
  return algorithm.plan(problem, {machine.multiprocessors, limits.shared_bytes_per_multiprocessor,
                                  limits.shared_bytes_reserved, [&](const Launch& launch) {
                                    return resident_blocks(limits, launch.shape,
                                                           work.of(launch.name()).registers);
                                  }});
}

template <class Real>
std::vector<CountedLaunch> counted_launches(double n, const Plan& plan, const AlgorithmWork& work,
                                            const Machine<Real>& machine) {
  const std::vector<WorkSize> sizes = work_sizes(n, plan);
  std::vector<CountedLaunch> launches;
  launches.reserve(plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const BlockShape& shape = plan[i].shape;
    const KernelWork& kernel = work.of(plan[i].name());
    const int resident = resident_blocks(machine.limits, shape, kernel.registers);
    if (resident == 0)
      throw BlockTooLarge("no multiprocessor of '" + machine.name + "' holds a block of " +
                          std::string(plan[i].name()) + ": " + std::to_string(shape.threads) +
                          " threads with " + std::to_string(shape.shared_bytes) + " bytes of shared memory");
    launches.push_back({.kernel = plan[i].name(),
                        .work = kernel.at(sizes[i]),
                        .shape = {.blocks = double(plan[i].blocks),
                                  .threads_per_block = shape.threads,
                                  .shared_bytes_per_block = double(shape.shared_bytes),
                                  .resident = resident},
                        .repeats = plan[i].repeats});
  }
  return launches;
}

template <class Real>
RunTime<Real> run_time(const std::vector<CountedLaunch>& launches, const Machine<Real>& machine) {
  RunTime<Real> time;
  time.launches.reserve(launches.size());
  time.seconds = required(machine.launch_overhead, "launch_overhead", machine.name);
  for (const CountedLaunch& launch : launches) {
    time.launches.push_back(launch_time(launch.work, launch.shape, machine));
    time.seconds += launch.repeats * time.launches.back().seconds();
  }
  return time;
}

template <class Real>
RunTime<Real> run_time(double n, const Plan& plan, const AlgorithmWork& work, const Machine<Real>& machine) {
  return run_time(counted_launches(n, plan, work, machine), machine);
}

template Plan plan_with_work(const Descriptor&, const Machine<double>&, const Problem&, const AlgorithmWork&);
template Plan plan_with_work(const Descriptor&, const Machine<Dual>&, const Problem&, const AlgorithmWork&);
template std::vector<CountedLaunch> counted_launches(double, const Plan&, const AlgorithmWork&,
                                                     const Machine<double>&);
template std::vector<CountedLaunch> counted_launches(double, const Plan&, const AlgorithmWork&,
                                                     const Machine<Dual>&);
template RunTime<double> run_time(const std::vector<CountedLaunch>&, const Machine<double>&);
template RunTime<Dual> run_time(const std::vector<CountedLaunch>&, const Machine<Dual>&);
template RunTime<double> run_time(double, const Plan&, const AlgorithmWork&, const Machine<double>&);
template RunTime<Dual> run_time(double, const Plan&, const AlgorithmWork&, const Machine<Dual>&);

// 1/(1 + (footprint/half)^l2_steepness), rounded to 0 or 1 within a millionth.
template <class Real>
Real l2_share(const Real& footprint_bytes, bool reads_only, const Machine<Real>& machine) {
  const std::optional<Real>& half =
      reads_only && machine.l2_half_reading ? machine.l2_half_reading : machine.l2_half;
  if (!half || !machine.l2_steepness || !(footprint_bytes > 0)) return Real(0);
  const Real logit = *machine.l2_steepness * log(Real(footprint_bytes / *half));
  constexpr double millionth = 13.8;
  if (logit > millionth) return Real(0);
  if (logit < -millionth) return Real(1);
  return 1 / (1 + exp(logit));
}

template double l2_share(const double&, bool, const Machine<double>&);
template Dual l2_share(const Dual&, bool, const Machine<Dual>&);

}  // namespace fathom
