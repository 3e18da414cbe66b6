// SPDX-License-Identifier: Apache-2.0
// Figures of papers, drawn anew: predicted for the papers' GPUs, beside another GPU.
#pragma once

#include <fathom/model/machine.h>
#include <fathom/reports/degree_sweep.h>
#include <fathom/reports/trade_off.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::reports {

/// Time over a parameter.
struct PaperSweep {
  std::string paper;             ///< "karsin2018 §4.1"
  std::vector<TradeOff> papers;  ///< on its GPUs, law published
  std::string setting;           ///< of these: "n = 1e8, u32, t = 128"
  TradeOff here;                 ///< on the profile's GPU, with its measurements
  std::string bench;             ///< the command that measures it
};

/// Words per clock and core over X, with max(1/B, L/(X·I)) of the paper's GPUs. The samples of the profile's
/// GPU are in its profile.
struct PaperPlateaus {
  struct Gpu {
    std::string name;
    LevelConstants<double> constants;
    double most_X;  ///< threads per core that a multiprocessor can hold
  };
  std::string paper;
  Level level = Level::global;
  std::vector<Gpu> gpus;
};

/// Thread-cycles per element by kernel: cores times clocks.
struct PaperCycles {
  struct Part {
    std::string kernel;
    double cycles;
  };
  struct Sort {
    std::string label;  ///< slug and type
    std::vector<Part> parts;
    std::optional<Quartiles> measured{};  ///< cycles of the whole sort
  };
  struct Gpu {
    std::string name;
    std::string law;
    std::vector<Sort> sorts;
  };
  std::string paper;
  std::string setting;  ///< "d = 4 bits per digit"
  Gpu papers, here;
};

/// Bank conflicts of several algorithms over the degree of their input.
struct PaperConflicts {
  std::string paper;
  std::vector<DegreeSweep> sweeps;
};

struct PaperFigures {
  std::vector<PaperSweep> sweeps{};
  std::vector<PaperPlateaus> plateaus{};
  std::vector<PaperCycles> cycles{};
  std::vector<PaperConflicts> conflicts{};
};

}  // namespace fathom::reports
