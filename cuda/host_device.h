// SPDX-License-Identifier: MIT OR Apache-2.0
// Words that let one text compile for the host (any C++17 compiler) and for the device (nvcc).
//
//   CUZK_HD      small function of both sides, inlined
//   CUZK_COLD    function of both sides that the device calls instead of inlining: the big
//   formulas,
//                where code size costs more than a call
//   CUZK_DEVICE  function of the device only, inlined
//   CUZK_CHECK   a stated invariant; asserted in host builds made with CUZK_VERIFY
#pragma once
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define CUZK_HD __host__ __device__ __forceinline__
#define CUZK_COLD inline __host__ __device__ __noinline__
#define CUZK_DEVICE __device__ __forceinline__
#define CUZK_UNROLL _Pragma("unroll")
#define CUZK_NO_UNROLL _Pragma("unroll 1")
#else
#define CUZK_HD inline
#define CUZK_COLD inline
#define CUZK_UNROLL
#define CUZK_NO_UNROLL
#endif

#if defined(CUZK_VERIFY) && !defined(__CUDA_ARCH__)
#include <cassert>
#define CUZK_CHECK(condition) assert(condition)
#else
#define CUZK_CHECK(condition) ((void)0)
#endif
