// What CUB's benches share: launches, the copy, verification, times by turns, and rows.
#pragma once

#include "options.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

// A call of CUB: with no storage it says how much it needs.
using Call = std::function<cudaError_t(void *storage, size_t &bytes, cudaStream_t stream)>;

// The copy of ../../timing/copy.rs: 16 bytes a lane and step.
__global__ void __launch_bounds__(256) copy_kernel(const uint4 *src, uint4 *dst, size_t quads) {
  size_t first = size_t(blockIdx.x) * 2048 + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    size_t at = first + i * 256;
    if (at < quads) dst[at] = src[at];
  }
}

__global__ void compare_kernel(const uint32_t *got, const uint32_t *wanted, size_t words,
                               unsigned long long *wrong) {
  for (size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x; at < words;
       at += size_t(gridDim.x) * blockDim.x) {
    if (got[at] != wanted[at]) atomicAdd(wrong, 1ull);
  }
}

struct Summary {
  double median, spread;
};

inline Summary summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  auto at = [&](size_t quarter) { return times[(times.size() - 1) * quarter / 4]; };
  return {at(2), (at(3) - at(1)) / at(2)};
}

// What a measurement is of.
struct Subject {
  const char *bench, *primitive, *kind, *op, *element;
  std::string name;
  // Bytes that must be moved, and that the copy moves.
  double bytes, copy_bytes;
};

struct Bench {
  Options options;
  std::string machine_fields;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  unsigned long long *wrong_words;
  FILE *json = nullptr;
  int wrong = 0;

  using Work = std::function<void(cudaStream_t)>;

  // Work that is launched once: a call, or a graph of several.
  struct Launch {
    Work work;
    cudaGraphExec_t graph = nullptr;
    int calls = 1;
  };

  explicit Bench(const Options &of) : options(of), machine_fields(machine(of)) {
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMalloc(&wrong_words, sizeof *wrong_words));
    if (options.json && !(json = std::fopen(options.json, "a"))) {
      std::perror(options.json);
      std::exit(1);
    }
    std::printf("n | what | median us | spread | Gitem/s | GB/s | of copy's GB/s | copy us\n");
  }

  // The exit status: a wrong result is a failure.
  int finish() {
    if (json) std::fclose(json);
    if (wrong) std::fprintf(stderr, "%d wrong results\n", wrong);
    return wrong ? 1 : 0;
  }

  // How many words differ.
  unsigned long long differences(const void *got, const void *right, size_t words) {
    CHECK(cudaMemsetAsync(wrong_words, 0, sizeof *wrong_words, stream));
    compare_kernel<<<1024, 256, 0, stream>>>(static_cast<const uint32_t *>(got),
                                             static_cast<const uint32_t *>(right), words, wrong_words);
    CHECK(cudaGetLastError());
    unsigned long long count = 0;
    CHECK(cudaMemcpyAsync(&count, wrong_words, sizeof count, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    return count;
  }

  void fail(const std::string &name, uint64_t n, unsigned long long words) {
    std::fprintf(stderr, "WRONG: %s, n = %llu: %llu words\n", name.c_str(), (unsigned long long)n, words);
    wrong += 1;
  }

  // The copy of so many bytes, but for up to 15 at the end.
  static Work copy(const void *from, void *to, size_t bytes) {
    size_t quads = bytes / 16;
    return [=](cudaStream_t s) {
      copy_kernel<<<unsigned((quads + 2047) / 2048), 256, 0, s>>>(static_cast<const uint4 *>(from),
                                                                  static_cast<uint4 *>(to), quads);
      CHECK(cudaGetLastError());
    };
  }

  Launch prepare(Work work, int calls) {
    Launch launch{work, nullptr, calls};
    // A kernel's first launch loads it, which a capture may not.
    work(stream);
    CHECK(cudaStreamSynchronize(stream));
    if (calls > 1) {
      cudaGraph_t graph;
      CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
      for (int i = 0; i < calls; ++i) work(stream);
      CHECK(cudaStreamEndCapture(stream, &graph));
      CHECK(cudaGraphInstantiate(&launch.graph, graph, 0));
      CHECK(cudaGraphDestroy(graph));
    }
    return launch;
  }

  // Microseconds of a call.
  double time(const Launch &launch) {
    CHECK(cudaEventRecord(start, stream));
    if (launch.graph) CHECK(cudaGraphLaunch(launch.graph, stream));
    else launch.work(stream);
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaEventSynchronize(stop));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    return double(milliseconds) * 1e3 / launch.calls;
  }

  // Times work and the copy by turns; prints and writes a row.
  void measure(const Subject &of, const Work &work, const Work &copy, uint64_t n) {
    int calls = options.calls > 0 ? options.calls : n < (1 << 20) ? (options.quick ? 10 : 100) : 1;
    Launch own = prepare(work, calls), copies = prepare(copy, calls);
    auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(300)) {
      time(copies);
      time(own);
    }
    std::vector<double> own_times, copy_times;
    for (int i = 0; i < options.rounds; ++i) {
      copy_times.push_back(time(copies));
      own_times.push_back(time(own));
    }
    for (Launch *launch : {&own, &copies}) {
      if (launch->graph) CHECK(cudaGraphExecDestroy(launch->graph));
    }
    Summary us = summary(own_times), copy_us = summary(copy_times);
    double gitems = double(n) / us.median * 1e-3, gbytes = of.bytes / us.median * 1e-3;
    double of_copy = gbytes / (of.copy_bytes / copy_us.median * 1e-3);
    std::printf("%llu | %s | %.2f | %.0f %% | %.2f | %.1f | %.2f | %.2f\n", (unsigned long long)n,
                of.name.c_str(), us.median, us.spread * 100, gitems, gbytes, of_copy, copy_us.median);
    std::fflush(stdout);
    if (!json) return;
    std::string kind_field = of.kind ? std::string(",\"kind\":\"") + of.kind + "\"" : "";
    std::fprintf(json,
                 "{\"bench\":\"%s\",\"primitive\":\"%s\"%s,\"operator\":\"%s\",\"element\":\"%s\",\"n\":%llu,"
                 "\"median_us\":%.6f,\"spread\":%.6f,\"gitems_per_s\":%.6f,\"gbytes_per_s\":%.6f,\"of_copy\":%.6f,"
                 "\"copy_us\":%.6f,\"calls\":%d,\"rounds\":%d,%s}\n",
                 of.bench, of.primitive, kind_field.c_str(), of.op, of.element, (unsigned long long)n, us.median,
                 us.spread, gitems, gbytes, of_copy, copy_us.median, calls, options.rounds, machine_fields.c_str());
    std::fflush(json);
  }
};
