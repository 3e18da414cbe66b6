// SPDX-License-Identifier: Apache-2.0
// The machine code says some things about its conditions and loops that hold whatever the data.
#pragma once

#include <fathom/device/code/registers.h>

#include <map>
#include <optional>

namespace fathom {

/// How many times a loop turns each time that it is entered.
struct Turns {
  std::size_t latch = 0;  ///< the block where it goes on or ends
  double most = 0;
  bool exact = false;
};

class Conditions {
 public:
  /// Both must live as long as this.
  Conditions(const Disassembly& code, const FlowGraph& flow)
      : code_(code), flow_(flow), definitions_(code, flow) {}

  /// True if all warps of a launch decide alike at the block's end, from what the kernel was launched with.
  bool same_in_launch(std::size_t block);

  /// A condition that two numbers are equal, of which one depends on the number of the block or of the warp.
  struct Equality {
    /// The difference of the numbers is block · the block's number + warp · the warp's number in its block
    /// + lane · the lane's + what is the same in the whole launch.
    long block = 0, warp = 0, lane = 0;
    std::size_t way = 0;  ///< of BasicBlock::next: only equal numbers lead there
  };
  std::optional<Equality> equality(std::size_t block);

  /// A condition on threadIdx.x alone.
  struct Threshold {
    std::string_view relation;  ///< "LT", "LE", "GT", "GE"
    long number = 0;
    bool jumps = false;  ///< the block's jump is taken where the relation holds, else where it does not

    bool holds(long thread) const;
  };
  std::optional<Threshold> threshold(std::size_t block) const;

  /// The way of a branch that sine and cosine take for arguments which their short code is not exact for.
  std::optional<std::size_t> way_of_large_arguments(std::size_t block) const;

  /// Finds the turns of a loop that counts them and has no branches inside.
  std::optional<Turns> turns(const Loop& loop) const;

 private:
  struct Condition {
    int predicate;
    bool value;  ///< of the predicate, for which the block's jump is taken
    std::size_t at;
  };
  struct Comparison {
    std::string_view relation, combined;  ///< "NE"; "AND"
    std::string a, b, with;
    std::size_t at;
  };
  struct Place {
    long block = 0, warp = 0, lane = 0;
  };

  const MachineInstruction& last_of(std::size_t block) const {
    return code_.instructions[flow_.blocks[block].last - 1];
  }
  std::optional<int> first_result(std::size_t instruction) const;
  bool is_entered_only_at(std::size_t header, const Loop& loop) const;
  std::optional<Condition> condition_of(std::size_t block) const;
  std::optional<Comparison> comparison(int predicate, std::size_t at) const;
  bool same_in_launch(std::string_view operand, std::size_t at);
  bool makes_the_same(std::size_t instruction);
  std::optional<Place> place(std::string_view operand, std::size_t at);
  std::optional<Place> place_made_by(std::size_t instruction);
  std::optional<long> constant(std::string_view operand, std::size_t at) const;
  std::optional<long> constant_made_by(std::size_t instruction) const;
  std::optional<long> largest_made_by(std::size_t instruction) const;

  const Disassembly& code_;
  const FlowGraph& flow_;
  Definitions definitions_;
  // These are known of the results of instructions.
  std::map<std::size_t, bool> same_;
  std::map<std::size_t, std::optional<Place>> places_;
};

}  // namespace fathom
