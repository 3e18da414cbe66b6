// The block contract: all that a kernel may use, and the one header a kernel includes.
//
// A kernel is a trivially copyable struct whose members are spans and numbers and whose body is
//     template <class Block> FATHOM_DEVICE void operator()(Block& block) const;
// The same source is compiled twice: by NVRTC, where the block is a thin wrapper over CUDA's built-ins and a
// span a raw pointer, and by the host compiler, where each thread is a fiber and each access goes through the
// counting executor.
//
// A parameter to specialise for is a template argument: `Constant<15>` under CUDA, plain `int` on the host,
// so that one host build runs every value. Both convert to int and have the same layout; hence the host's
// kernel object, byte by byte, is what CUDA launches.
//
// What both sides offer (see cuda_block.h, counting_block.h):
//   Block      thread(), threads(), index(), blocks(), lane(), warp(), warps(); barrier(), warp_barrier();
//              shuffle*(), ballot(); shared<T>(count);
//              atomic_add(span, i, value), which also releases and acquires;
//              sleep(nanoseconds);
//              begin_copy(span, i, shared, count, arrival), wait_for_copy(shared, arrival), by whole warps
//   Span<T>    over global memory: load(i), store(i, value), load_vector<4>(i), store_vector(i, v),
//              from(offset);
//              store_vector_streaming(i, v) of what is not read again soon;
//              load_acquire(i), store_release(i, value) of 4 or 8 bytes, for blocks that hand data to others;
//              load_relaxed(i), store_relaxed(i, value) where the value itself is all that is handed over
//   Shared<T>  over the block's shared memory: load(i), store(i, value), from(offset)
//   Registers<T, Count>  an array indexed by constants only, once the loops around it are unrolled
//   compare(a, b, less), compare_exchange(a, b, less)
//   FATHOM_UNROLL        before a loop whose bounds are constants under CUDA
//   FATHOM_NO_UNROLL     before a loop that runs seldom: short code is fetched sooner
//
// A kernel whose blocks wait for what other blocks hand over says so:
//     static constexpr bool blocks_communicate = true;
// A block may wait only for blocks of a lower index: those were started before it.
#pragma once

#include <fathom/device/contract_types.h>

#ifdef __CUDACC_RTC__
#include <fathom/device/cuda_block.h>
#else
#include <fathom/device/counting_block.h>
#endif
