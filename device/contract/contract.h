// SPDX-License-Identifier: Apache-2.0
// The block contract: everything a kernel may use, and the only header it includes.
//
// A kernel is a trivially copyable struct whose members are spans and numbers and whose body is
//     template <class Block> FATHOM_DEVICE void operator()(Block& block) const;
// The same source is compiled twice. NVRTC sees a block that is a thin wrapper over CUDA's built-ins, and
// spans that are raw pointers. The host compiler sees threads that are fibers, and accesses that go through
// the counting executor.
//
// A kernel is specialised for a parameter through a template argument: `Constant<15>` under CUDA, `Number` on
// the host, so that one host build runs every value. Both convert to int and have the same layout, so CUDA
// can launch the bytes of the host's kernel object.
//
// Available on both sides (cuda_block.h, counting_block.h):
//   Block      thread(), threads(), index(), blocks(), lane(), warp(), warps(); barrier(), warp_barrier();
//              shuffle*(), ballot();
//              match(value) of 4 or 8 bytes: the lanes whose values have the same bits;
//              reduce_add, _min, _max, _and, _or, _xor(value) of u32 and i32: over the warp; every lane gets
//              it; shared<T>(count); atomic_add(span, i, value), with acquire and release semantics;
//              sleep(nanoseconds);
//              copy_pipeline<Row>(arrivals, stages), begin_copy, wait_for_copy: see below
//   Span<T>    over global memory: load(i), store(i, value), load_vector<4>(i), store_vector(i, v),
//              from(offset);
//              store_vector_streaming(i, v) for data that is not read again soon;
//              load_acquire(i), store_release(i, value) of 4 or 8 bytes, to pass data between blocks;
//              load_relaxed(i), store_relaxed(i, value) where only the value itself is passed;
//              atomic_add_relaxed, _or_, _min_, _max_, _exchange_relaxed(i, value) of u32, i32 and u64: they
//              return the previous value and order no other access
//   Shared<T>  over the block's shared memory, elements of 1 or 2 bytes or of whole words: load(i),
//              store(i, value), from(offset);
//              atomic_add, _or, _min, _max, _exchange(i, value) of u32, i32 and u64: they return the previous
//              value and order no other access. For u64 only the exchange is one instruction, the others are
//              loops.
//   PackedCounters<bits>  counters of 8 or 16 bits in words of shared memory, addressed by word and field:
//              load, increment (no other thread uses the word) and atomic_increment, which return the
//              previous count; add(a, b) of whole words. A counter beyond `greatest` would carry into the
//              next one; the counting executor rejects that.
//   Registers<T, Count>  an array whose indices are constants once the loops around it are unrolled
//   compare(a, b, less), compare_exchange(a, b, less)
//   FATHOM_UNROLL        before a loop with constant limits under CUDA
//   FATHOM_NO_UNROLL     before a loop that rarely runs: shorter code is fetched faster
//
// A kernel whose blocks wait for data from other blocks declares it:
//     static constexpr bool blocks_communicate = true;
// A block may wait only for blocks with a lower index, which were started before it, or for one that has
// taken a ticket from an atomic.
//
// A kernel may have the compiler leave registers for so many blocks on a multiprocessor, which left alone
// spends them on loads further ahead:
//     static constexpr int least_resident_blocks();
//
// Asynchronous copies move vectors from global to shared memory without using registers, while the warp does
// other work. A pipeline belongs to one warp and has 1 to 32 stages, each with its own arrival word:
//
//     auto pipeline = block.template copy_pipeline<Vector<T, 4>>(arrivals, stages);
//     pipeline.begin(stage, span, i, shared, count);
//     pipeline.wait(stage);
//
// All lanes make each call, with the same arguments. Arrival words are set up once per kernel. begin() copies
// `count` vectors; several copies may be started in one stage, and wait() waits for all of them. The
// destination must not be touched until wait() returns, and a barrier must separate earlier accesses to it
// from begin(). wait() is a warp barrier. Vectors of 16 bytes use the copy engine (sm_90), those of 4, 8 and
// 16 bytes cp.async (sm_80), all others ordinary accesses.
//
// begin_copy(span, i, shared, count, arrivals) and wait_for_copy(shared, arrivals) are a one-stage pipeline
// for a single use, with one arrival word per warp of the block.
#pragma once

#include <fathom/device/contract/types.h>

#ifdef __CUDACC_RTC__
#include <fathom/device/contract/cuda_block.h>
#else
#include <fathom/device/contract/counting_block.h>
#endif
