// Elements and operators: the same as in ../../harness/cases.rs, with CUB's calls for them.
#pragma once

#include "bench.cuh"
#include "items.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include <cstddef>
#include <cstdint>
#include <functional>

struct alignas(8) Affine {
  uint32_t factor, offset;
};

// x -> factor x + offset, the left one first.
struct Compose {
  __host__ __device__ Affine operator()(const Affine &a, const Affine &b) const {
    return Affine{a.factor * b.factor, a.offset * b.factor + b.offset};
  }
};

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
  // Modulo 2^32.
  int32_t operator()(int32_t a, int32_t b) const { return int32_t(uint32_t(a) + uint32_t(b)); }
};

struct Greater {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

// What CUB calls the maximum; its own name lets it choose instructions.
#if CUB_VERSION >= 300000
using Maximum = ::cuda::maximum<>;
#else
using Maximum = ::cub::Max;
#endif

// An element with an operator. CUB's reductions are for operators that commute.
template <class T>
struct Case {
  const char *op, *element;
  std::function<T(uint32_t)> item;
  T nothing;
  std::function<T(T, T)> combine;
  std::function<Call(const T *, T *, int)> reduce, inclusive, exclusive;
};

template <class T>
Case<T> sum_case(const char *element, std::function<T(uint32_t)> item) {
  Case<T> c{"sum", element, item, T(0), Add{}, {}, {}, {}};
  c.reduce = [](const T *in, T *out, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) { return cub::DeviceReduce::Sum(t, b, in, out, n, s); };
  };
  c.inclusive = [](const T *in, T *out, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) { return cub::DeviceScan::InclusiveSum(t, b, in, out, n, s); };
  };
  c.exclusive = [](const T *in, T *out, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) { return cub::DeviceScan::ExclusiveSum(t, b, in, out, n, s); };
  };
  return c;
}

template <class T, class Op>
void set_scans(Case<T> &c, Op op) {
  T nothing = c.nothing;
  c.inclusive = [=](const T *in, T *out, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) {
      return cub::DeviceScan::InclusiveScan(t, b, in, out, op, n, s);
    };
  };
  c.exclusive = [=](const T *in, T *out, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) {
      return cub::DeviceScan::ExclusiveScan(t, b, in, out, op, nothing, n, s);
    };
  };
}

template <class T>
Case<T> max_case(const char *element, T nothing, std::function<T(uint32_t)> item) {
  Case<T> c{"max", element, item, nothing, Greater{}, {}, {}, {}};
  c.reduce = [](const T *in, T *out, int n) -> Call {
    return [=](void *t, size_t &b, cudaStream_t s) { return cub::DeviceReduce::Max(t, b, in, out, n, s); };
  };
  set_scans(c, Maximum{});
  return c;
}
