// SPDX-License-Identifier: Apache-2.0
// The options of calls, each declared once, with its help, default and range. The command line makes its
// options from the declarations, and Python its keyword arguments and their documentation. A new option is a
// member with its row in options.cpp, and its use.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom::calls {

/// How a time is to be predicted.
struct PredictionOptions {
  std::string law;  ///< empty: counted or, of an algorithm without kernels, published
  std::string ceiling = "as-printed", compose = "sum", input = "random";
  std::vector<std::string> option;  ///< "register-factor=2"
  std::vector<std::string> what_if;
  bool sensitivities = false;
};

/// A problem, but for its size and parameters, and where it is solved.
struct ProblemOptions {
  std::string type = "u32";
  bool stable = false;
  std::string device;  ///< a profile's name or path; empty: of the GPU present, else h200
};

/// One prediction.
struct PredictOptions : ProblemOptions, PredictionOptions {};

/// A prediction of launches from a profiler's report.
struct LaunchesOptions {
  /// The profile, a name or a path, of the GPU of the report, to scale by what was measured there; "none":
  /// not scaled; empty: found by the GPU's name.
  std::string from;
  std::string caches = "cold";
  std::vector<std::string> what_if;
  bool sensitivities = false;
};

/// A prediction of a launch from machine code alone.
struct MachineCodeOptions {
  std::string kernel;              ///< mangled or as in the source; empty: the only one of the file
  std::string grid, block;         ///< one to three numbers, "64,64"
  double shared = 0;               ///< dynamic shared memory of a block, in bytes
  std::vector<std::string> trips;  ///< of loops: "42=1000", "kernel.cu:42=1000", "0x2a0=1000"
  std::string caches = "cold";
  std::vector<std::string> what_if;
  bool sensitivities = false;
};

/// Predictions of several problems on several devices.
struct SweepOptions : PredictionOptions {
  std::vector<std::string> type{"u32"};
  bool stable = false;
  std::vector<std::string> device;
};

struct TuneOptions : PredictOptions {
  int top = 10;    ///< 0: all
  int verify = 0;  ///< how many of the first are measured
  int gpu = 0;
  bool exhaustive = false;
};

struct BenchOptions {
  std::vector<std::string> type{"u32"};
  bool stable = false;
  std::vector<std::string> input{"random"};
  int repeats = 11;  ///< timed runs of each configuration
  int gpu = 0;       ///< of several the first
  double gpus = 0;   ///< of algorithms for several; 0: all from `gpu` on, or one, for data in host memory
  std::filesystem::path file;  ///< the dataset; runs already in it are not repeated
  std::string command;         ///< recorded in the dataset
};

struct CountOptions : ProblemOptions {
  std::string input = "random";
  std::string machine;     ///< of the theory: dmm, umm, agpu; empty: none
  int width = 32;          ///< w banks of a DMM or UMM, b cores of an AGPU's multiprocessor
  int latency = 400;       ///< time units
  double threads = 16384;  ///< p threads in a DMM or UMM, p cores of an AGPU
  double memory = 0;       ///< M words of an AGPU's multiprocessor; 0: the device's
  bool instructions = false;
  std::string architecture = "sm_90";
  double memory_limit = 0;  ///< on the host, in bytes; 0: what is free
};

struct CalibrateOptions {
  int gpu = 0;
  bool quick = false;                   ///< coarser sweeps and shorter launches, about 3 s
  bool links = false;                   ///< measure the links of the GPUs, for the profile that there is
  std::vector<std::string> links_from;  ///< files of nccl-tests that have measured them
  bool force = false;          ///< write the profile even if its measurements are implausible, and mark it so
  std::string name;            ///< of the profile; empty: derived from the GPU's
  std::filesystem::path file;  ///< empty: in the user's profile directory, with the profile's name
  std::string command;         ///< recorded in the profile
};

/// Measured runs: datasets, and the files of other tools (store/read_runs.h).
struct RunFiles {
  std::vector<std::filesystem::path> datasets;
  std::vector<std::string> read_as;  ///< of other tools' files: "BM_sort=sort-pairwise", "n=2^26"
  bool vouch = false;                ///< the outputs of other tools' runs count as checked
};

/// `datasets` may be empty with `refit`.
struct FitOptions : RunFiles {
  std::string profile;         ///< of the GPU measured: a name or a path
  bool refit = false;          ///< first refit the machine's constants to the profile's raw samples
  bool force = false;          ///< write a refitted profile even if its measurements are implausible
  std::filesystem::path file;  ///< where the new profile is written; empty: in place
};

struct ValidateOptions : RunFiles {
  std::string device;  ///< empty: of the GPU measured
  std::string law;     ///< empty: all that the profile allows
  double smallest_n = 1;
};

/// Plots and reports are made of this. Without `datasets` only predictions and calibration are drawn.
struct FigureOptions : RunFiles {
  std::string device;     ///< empty: of the GPU measured, else as elsewhere
  std::string law;        ///< empty: counted and, in plots, published
  double smallest_n = 1;  ///< runs and predictions of fewer elements are left out
};

struct PlotOptions : FigureOptions {
  std::vector<std::string> algorithm;  ///< empty: all; of trade-offs, those measured over a parameter
  std::string parameter;               ///< of trade-offs; empty: the first of each algorithm
};

struct ReportOptions : FigureOptions {
  std::vector<std::string> compare;  ///< two datasets or profiles to set side by side, or none
};

/// The values that an option with a number takes: at most 2^53.
struct OptionRange {
  double low, high;
};

/// An option of the Options object that it was made of.
struct Declaration {
  std::string_view name;  ///< of small letters and '_': "what_if" is --what-if, or what_if=
  /// Where the value goes; before that it has the default. A number is whole. One in a double is a size,
  /// which may be written as 2^20, and 0 there stands for one that is derived from other values, as an empty
  /// text.
  std::variant<bool*, int*, double*, std::string*, std::vector<std::string>*> value;
  std::string help;             ///< without the default, unless that is derived from other values
  OptionRange range{};          ///< of a number
  int without_value{};          ///< a number if not 0: the value of the option if it is given without one
  bool commas = false;          ///< separate the entries of a list; else the option is repeated
  std::string_view only_for{};  ///< "the law published": what alone takes it; empty: all
};
using Declarations = std::vector<Declaration>;

/// In the order of the help.
Declarations declared(PredictOptions& options);
Declarations declared(SweepOptions& options);
/// Without those that SweepOptions has, too.
Declarations declared(LaunchesOptions& options);
/// Without those that LaunchesOptions has, too.
Declarations declared(MachineCodeOptions& options);
Declarations declared(TuneOptions& options);
Declarations declared(BenchOptions& options);
Declarations declared(CountOptions& options);
Declarations declared(CalibrateOptions& options);
Declarations declared(FitOptions& options);
Declarations declared(ValidateOptions& options);
Declarations declared(PlotOptions& options);
Declarations declared(ReportOptions& options);

}  // namespace fathom::calls
