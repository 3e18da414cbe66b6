// SPDX-License-Identifier: Apache-2.0
// The contract costs nothing: each of its parts is the one machine instruction that the GPU has for it.
#include "../../support/machine_code.h"
#include "contract_cases.h"

#include <algorithm>
#include <map>

using namespace fathom;

namespace {

constexpr int compiled_for[] = {75, 80, 90, 100};

struct Truth {
  std::string name;          ///< of the contract case
  std::string instruction;   ///< a regular expression for it with its modifiers
  int count;                 ///< −1: some
  int from = 75, to = 1000;  ///< compute capabilities
};

std::vector<Truth> truths() {
  std::vector<Truth> all{
      {"Match<unsigned int>", "MATCH.ANY", 1},
      {"Match<unsigned long long>", "MATCH.ANY.U64", 1},
      {"NarrowElements<unsigned char>", "STS.U8", 1},
      {"NarrowElements<unsigned char>", "LDS(.U)?.U8", 1},
      {"NarrowElements<unsigned short>", "STS.U16", 1},
      {"NarrowElements<unsigned short>", "LDS(.U)?.U16", 1},
      {"PackedHistogram<unsigned char>", "ATOMS.ADD", 1},
      {"PackedHistogram<unsigned short>", "ATOMS.ADD", 1},
      // 9 increments, and the 4 or 8 words set to zero and added.
      {"PackedColumns<unsigned char>", "LDS(.U)?", 9 + 4},
      {"PackedColumns<unsigned char>", "STS", 9 + 4},
      {"PackedColumns<unsigned short>", "LDS(.U)?", 9 + 8},
      {"PackedColumns<unsigned short>", "STS", 9 + 8},
      {"SharedAtomic<unsigned long long, Exchange>", "ATOMS.EXCH.64", 1},
  };
  const std::map<std::string, std::string> atomics{
      {"unsigned int, Add", "ADD"},     {"unsigned int, Or", "OR"},         {"unsigned int, Minimum", "MIN"},
      {"unsigned int, Maximum", "MAX"}, {"unsigned int, Exchange", "EXCH"}, {"int, Add", "ADD"},
      {"int, Minimum", "MIN.S32"},      {"int, Maximum", "MAX.S32"}};
  for (const auto& [arguments, operation] : atomics) {
    all.push_back({"SharedAtomic<" + arguments + ">", "ATOMS." + operation, 1});
    all.push_back({"SharedAtomic<" + arguments + ">", "ATOM.*", 1});
    all.push_back({"GlobalAtomic<" + arguments + ">", "ATOMG.E." + operation + ".STRONG.GPU", 1});
  }
  // There is no such instruction for shared memory: a loop of compare and swap.
  for (const std::string operation : {"Add", "Or", "Minimum", "Maximum"})
    all.push_back({"SharedAtomic<unsigned long long, " + operation + ">", "ATOMS.CAST.SPIN.64", 1});
  for (const std::string type : {"unsigned int", "int"})
    for (const std::string operation : {"Add", "Minimum", "Maximum", "And", "Or", "ExclusiveOr"}) {
      const std::string name = "WarpReduce<" + type + ", " + operation + ">";
      all.push_back({name, "C?REDUX.*", 1, 80});
      all.push_back({name, "SHFL.*", 0, 80});
      all.push_back({name, "SHFL.BFLY", 5, 75, 79});
    }
  for (const std::string stages : {"1", "2", "3", "8"}) {
    const std::string name = "CopyInStages<Vector<unsigned int, 4>, Constant<" + stages + ">>";
    all.push_back({name, "UBLKCP.*", -1, 90});
    all.push_back({name, "LDGSTS.*", 0, 90});
    all.push_back({name, "LDGSTS.E.BYPASS.128", -1, 80, 89});
    all.push_back({name, "STS.128", 0, 80});  // nothing by way of registers
  }
  for (const auto& [row, instruction] : {std::pair{"2", "LDGSTS.E.64"}, {"1", "LDGSTS.E"}})
    all.push_back(
        {std::string("CopyInStages<Vector<unsigned int, ") + row + ">, Constant<2>>", instruction, -1, 80});
  return all;
}

}  // namespace

TEST_CASE("every part of the contract is the machine instruction that it should be") {
  tests::need_disassembler();
  const auto all_truths = truths();
  std::size_t checked = 0;
  for (const int architecture : compiled_for)
    for (const ContractCase& each : contract_cases()) {
      std::vector<std::string> code;
      try {
        code = tests::machine_code(
            compile_kernel(each.launch.source(), each.launch.shape.threads, architecture));
      } catch (const DeviceUnavailable& unavailable) {
        tests::skip(unavailable.what());
      }
      for (std::string& instruction : code) instruction = instruction.substr(0, instruction.find(' '));
      const auto count = [&](const std::string& instruction) {
        const std::regex expression(instruction);
        return std::count_if(code.begin(), code.end(),
                             [&](const std::string& one) { return std::regex_match(one, expression); });
      };
      INFO(each.name << " on sm_" << architecture);
      CHECK(count("(LDL|STL).*") == 0);  // nothing in local memory
      for (const Truth& truth : all_truths) {
        if (truth.name != each.name || architecture < truth.from || architecture > truth.to) continue;
        INFO(truth.instruction);
        ++checked;
        if (truth.count < 0)
          CHECK(count(truth.instruction) > 0);
        else
          CHECK(count(truth.instruction) == truth.count);
      }
    }
  CHECK(checked > 250);  // no name is misspelt
}
