// The block contract: all that a kernel may use, and the one header a kernel includes.
//
// A kernel is a trivially copyable struct whose members are spans and numbers and whose body is
//     template <class Block> FATHOM_DEVICE void operator()(Block& block) const;
// The same source is compiled twice: by NVRTC, where the block is a thin wrapper over CUDA's built-ins and a
// span a raw pointer, and by the host compiler, where each thread is a fiber and each access goes through the
// counting executor.
//
// A parameter to specialise for is a template argument: `Constant<15>` under CUDA, `Number` on the host,
// so that one host build runs every value. Both convert to int and have the same layout; hence the host's
// kernel object, byte by byte, is what CUDA launches.
//
// What both sides offer (see cuda_block.h, counting_block.h):
//   Block      thread(), threads(), index(), blocks(), lane(), warp(), warps(); barrier(), warp_barrier();
//              shuffle*(), ballot();
//              match(value) of 4 or 8 bytes: the lanes whose value has the same bits;
//              reduce_add, _min, _max, _and, _or, _xor(value) of u32 and i32: over the warp, to every lane;
//              shared<T>(count);
//              atomic_add(span, i, value), which also releases and acquires;
//              sleep(nanoseconds);
//              copy_pipeline<Row>(arrivals, stages), begin_copy, wait_for_copy: see below
//   Span<T>    over global memory: load(i), store(i, value), load_vector<4>(i), store_vector(i, v),
//              from(offset);
//              store_vector_streaming(i, v) of what is not read again soon;
//              load_acquire(i), store_release(i, value) of 4 or 8 bytes, for blocks that hand data to others;
//              load_relaxed(i), store_relaxed(i, value) where the value itself is all that is handed over;
//              atomic_add_relaxed, _or_, _min_, _max_, _exchange_relaxed(i, value) of u32, i32 and u64: the
//              value before; they order nothing else
//   Shared<T>  over the block's shared memory, elements of 1 or 2 bytes or of whole words: load(i),
//              store(i, value), from(offset);
//              atomic_add, _or, _min, _max, _exchange(i, value) of u32, i32 and u64: the value before; they
//              order nothing else. Of u64 only the exchange is one instruction, the others are loops.
//   PackedCounters<bits>  counters of 8 or 16 bits in words of shared memory, addressed by word and field:
//              load, increment (the thread has the word to itself), atomic_increment, each the count before;
//              add(a, b) of whole words. No counter may exceed `greatest`: it would carry into the next one,
//              which the counting executor refuses.
//   Registers<T, Count>  an array indexed by constants only, once the loops around it are unrolled
//   compare(a, b, less), compare_exchange(a, b, less)
//   FATHOM_UNROLL        before a loop whose bounds are constants under CUDA
//   FATHOM_NO_UNROLL     before a loop that runs seldom: short code is fetched sooner
//
// A kernel whose blocks wait for what other blocks hand over says so:
//     static constexpr bool blocks_communicate = true;
// A block may wait only for blocks of a lower index: those were started before it.
//
// Asynchronous copies bring vectors from global to shared memory past registers, and run beside what the warp
// does meanwhile. A pipeline belongs to one warp and has 1 to 32 stages, each with an arrival word of its
// own:
//
//     auto pipeline = block.template copy_pipeline<Vector<T, 4>>(arrivals, stages);
//     pipeline.begin(stage, span, i, shared, count);
//     pipeline.wait(stage);
//
// All lanes make each call, with the same arguments. Arrival words are set up once in a kernel. begin()
// copies `count` vectors; several copies may be begun into one stage, and wait() waits for all of them. What
// a copy writes belongs to it until it is waited for, and there must be a barrier between what was done there
// before and begin(). wait() is a barrier of the warp. Vectors of 16 bytes take the copy engine (sm_90),
// those of 4, 8 and 16 bytes cp.async (sm_80), all others ordinary accesses.
//
// begin_copy(span, i, shared, count, arrivals) and wait_for_copy(shared, arrivals) are the pipeline of one
// stage that is used once, with an arrival word for each warp of the block.
#pragma once

#include <fathom/device/contract/types.h>

#ifdef __CUDACC_RTC__
#include <fathom/device/contract/cuda_block.h>
#else
#include <fathom/device/contract/counting_block.h>
#endif
