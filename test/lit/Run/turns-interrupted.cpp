// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that never ends runs as turns, and SIGINT ends the program as it does in the plain build.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags && %build_cpu %t.cu -o %t.cpu
// RUN: %build_plain %s -o %t.plain
// RUN: %python -c "import subprocess, sys; sys.exit(any(subprocess.run(p, timeout=60).returncode != -2 for p in sys.argv[1:]))" %t.plain %t.cpu
#include <ikra/ikra.hpp>

#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>
#include <vector>

// CHECK: turn turn_of_endless

/// Ends once the sum is 0.
int endless(ikra::array<int> a) {
  ikra::host_section([&] {
    while (a.sum() != 0)
      a = a.pmap([](int x) { return x % 7 + 1; });
  });
  return a[0];
}

int main() {
  std::signal(SIGINT, SIG_DFL); // a shell has jobs ignore it
  endless(ikra::array<int>{std::vector<int>(64, 0)}); // at once
  std::thread interrupting([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    kill(getpid(), SIGINT);
  });
  endless(ikra::array<int>{std::vector<int>(64, 1)});
  interrupting.join();
}
