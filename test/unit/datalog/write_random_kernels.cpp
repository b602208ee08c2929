// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what ikrac would emit for random programs: write_random_kernels COUNT > kernels.cpp
#include <iostream>
#include <string>

#include "datalog/kernels/program_text.hpp"
#include "random_program.hpp"

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: write_random_kernels COUNT\n";
    return 1;
  }
  std::cout << "#include <ikra/generated/datalog/joins.hpp>\nnamespace {\n"
            << "using namespace ikra::datalog;\nusing namespace ikra::datalog::compiled;\n";
  for (unsigned seed = 0; seed < std::stoul(words[1]); ++seed) {
    random_programs::generator made(seed);
    made.make();
    std::cout << ikra::datalog::text_of_program(made.text(), 32, "random_" + std::to_string(seed))
                     .definitions;
  }
  std::cout << "} // namespace\n";
}
