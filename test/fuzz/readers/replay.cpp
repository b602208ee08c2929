// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives a reader each of the files named, once: what was found stays mended, also with compilers
// that have no libFuzzer.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

int main(int count, char** names) {
  for (int i = 1; i < count; ++i) {
    std::ifstream file(names[i], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open()) {
      std::cerr << names[i] << " cannot be read\n";
      return 1;
    }
    std::cerr << names[i] << '\n'; // the last one named is the one that fails
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  return 0;
}
