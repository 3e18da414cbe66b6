// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/pipes.h>
#include <fathom/model/architectures.h>

#include <algorithm>
#include <iterator>

namespace fathom {
namespace {

// Sources: which opcodes there are, from "Instruction Set Reference" in NVIDIA's "CUDA Binary Utilities"
// (tables for Ampere, Hopper and Blackwell); what the pipes do, from "Pipelines" in the documentation of
// Nsight Compute (adu: constants, block barriers; cbu: branches; lsu: also shuffles and reads of special
// registers); and the throughputs of native arithmetic instructions in the "CUDA C++ Best Practices Guide",
// which are those of one pipe. Where none says it (R2UR, MATCH, REDUX), the pipe with the documented
// throughput is taken. Hardware counters of an H200 add to this that VIADD runs on the FMA pipe; with it
// there, its ALU and FMA instructions are exactly those of the opcodes.
struct Group {
  Pipe pipe;
  std::string_view opcodes;  // separated and surrounded by spaces
};
constexpr Group groups[] = {
    {Pipe::alu,
     " IADD3 IADD IADD32I LOP3 LOP LOP32I PLOP3 ISETP ISET FSETP FSET IMNMX VIMNMX VIMNMX3 FMNMX FMNMX3 SEL "
     "FSEL SHF "
     "SHL SHR PRMT LEA IABS MOV MOV32I VIADDMNMX VABSDIFF VABSDIFF4 P2R R2P BMSK SGXT CS2R I2FP F2FP "
     "VOTE "
     "ISCADD ISCADD32I ICMP LEPC HMNMX2 VHMNMX HSETP2 HSET2 R2UR BFE BFI XMNMX VSETP VSET "},
    {Pipe::fma,
     " IMAD VIADD IMAD32I IMUL IMUL32I IDP IDP4A XMAD FFMA FFMA32I FADD FADD32I FMUL FMUL32I FFMA2 FADD2 "
     "FMUL2 "
     "FSWZADD FSWZ "
     "HFMA2 HFMA2_32I HADD2 HADD2_32I HMUL2 HMUL2_32I "},
    {Pipe::fp64, " DADD DMUL DFMA DSETP DMNMX "},
    {Pipe::xu, " MUFU POPC FLO BREV I2F F2I F2F FRND I2I FCHK "},
    {Pipe::lsu,
     " LDG STG LD ST LDS STS LDL STL LDSM STSM ATOM ATOMG ATOMS RED REDG REDAS SHFL LDGSTS LDGDEPBAR DEPBAR "
     "LDGMC "
     "MEMBAR FENCE CCTL CCTLL CCTLT ERRBAR S2R S2UR SYNCS ARRIVES MATCH QSPC STAS "},
    {Pipe::adu, " BAR LDC REDUX CREDUX B2R R2B BARRIER "},
    {Pipe::cbu,
     " BRA BRX BRXU JMP JMX JMXU EXIT BSSY BSYNC BREAK BMOV CALL RET RPCMOV WARPSYNC YIELD KILL NANOSLEEP "
     "RTT BPT "
     "ELECT ENDCOLLECTIVE PMTRIG "},
    {Pipe::tensor,
     " HMMA IMMA DMMA BMMA HGMMA IGMMA QGMMA BGMMA WARPGROUP WARPGROUPSET OMMA QMMA UTCHMMA UTCIMMA "
     "UTCQMMA UTCOMMA MOVM LDTM STTM UTCATOMSWS UTCBAR UTCCP UTCSHIFT LDT STT "},
    {Pipe::tma, " UBLKCP UBLKRED UBLKPF UTMALDG UTMASTG UTMAREDG UTMACCTL UTMAPF UTMACMDFLUSH "},
    {Pipe::none, " NOP ACQBULK CGAERRBAR PREEXIT ACQSHMINIT CS2UR "}};

/// Opcodes of the uniform datapath; others with this first letter are listed above.
constexpr std::string_view uniform =
    " UIADD3 UIADD UIMAD UISETP UISEL ULOP ULOP3 ULOP32I UPLOP3 UMOV ULDC LDCU USEL USHF USHL USHR UPRMT "
    "ULEA UBMSK UBREV "
    "UFLO UPOPC USGXT UP2UR UR2UP UVIADD UVIMNMX UVIMNMX3 UIMNMX UIABS VOTEU UCLEA USETMAXREG "
    "UCGABAR_ARV "
    "UCGABAR_WAIT UF2FP UFADD UFMUL UFFMA UFMNMX UFSEL UFSETP UFSET UFRND UI2F UI2FP UF2I UF2F UI2I UI2IP "
    "UF2IP "
    "UMEMSETS UREDGR USTGR UGETNEXTWORKID ULEPC UVOTE UVIADDMNMX UMUFU UCPRMT UPREDUX UISCADD ";

/// What cores that add integers do (Architecture::cores_add): additions, minima and maxima of integers, as
/// fast as floating-point additions by the table of throughputs; it has logic, shifts and comparisons at half
/// of that.
constexpr std::string_view additions = " IADD3 IADD IADD32I IABS IMNMX VIMNMX VIMNMX3 VIADD VIADDMNMX ";

bool lists(std::string_view list, std::string_view opcode) {
  for (std::size_t at = list.find(opcode); at != list.npos; at = list.find(opcode, at + 1))
    if (at > 0 && list[at - 1] == ' ' && list[at + opcode.size()] == ' ') return true;
  return false;
}

}  // namespace

std::string_view name(Pipe pipe) {
  constexpr std::array<std::string_view, all_pipes.size()> names{
      "alu", "fma", "fp64", "xu", "lsu", "uniform", "adu", "cbu", "tensor", "tma", "none"};
  return names.at(std::size_t(pipe));
}

std::optional<Pipe> pipe_of(std::string_view opcode, int compute_capability) {
  if (opcode.empty()) return std::nullopt;
  const Architecture* known = find_architecture(compute_capability);
  if (known && known->cores_add && lists(additions, opcode)) return Pipe::fma;
  if (lists(uniform, opcode)) return Pipe::uniform;
  for (const Group& group : groups)
    if (lists(group.opcodes, opcode)) return group.pipe;
  return std::nullopt;
}

int clocks_on(Pipe pipe, int compute_capability) {
  const Architecture* known = find_architecture(compute_capability);
  const Architecture& on = known ? *known : *find_architecture(90);
  constexpr int clocks_of_one_unit = 4 * 32;  // four quarters, warps of 32 lanes
  switch (pipe) {
    case Pipe::alu:
    case Pipe::uniform:
      return 2;
    case Pipe::fma:
      return clocks_of_one_unit / on.cores;
    case Pipe::fp64:
      return clocks_of_one_unit / on.fp64_units;
    case Pipe::xu:
      return 8;
    default:
      return 1;
  }
}

}  // namespace fathom
