// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datalog programs in string literals are checked at their places.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags > %t.out 2>&1
// RUN: FileCheck %s < %t.out
// RUN: grep -c "error:" %t.out | FileCheck --check-prefix=COUNT %s
// COUNT: 9
#include <ikra/ikra.hpp>

#include <string_view>

// A constant's text is checked where it stands.
// CHECK-DAG: datalog-refused.cpp:[[#@LINE+1]]:69: error: Datalog: Undefined relation e
static constexpr const char* pointer = ".decl a(x: number)\na(x) :- e(x).";
// CHECK-DAG: datalog-refused.cpp:[[#@LINE+1]]:64: error: Datalog: Undefined relation f
constexpr std::string_view view = ".decl a(x: number)\na(x) :- f(x).";
// CHECK-DAG: datalog-refused.cpp:[[#@LINE+1]]:51: error: Datalog: Undefined relation g
const char array[] = ".decl a(x: number)\na(x) :- g(x).";
struct texts {
  // CHECK-DAG: datalog-refused.cpp:[[#@LINE+1]]:75: error: Datalog: Undefined relation h
  static constexpr std::string_view member = ".decl a(x: number)\na(x) :- h(x).";
};
// Nobody knows these before the program runs.
const char* changed = ".decl a(x: number)\na(x) :- i(x).";
constexpr std::string_view cut = std::string_view(".decl a(x: number)\na(x) :- j(x).").substr(0, 18);

void constants() {
  ikra::datalog::program of_pointer{pointer}, of_view{view}, of_array{array}, of_member{texts::member};
  ikra::datalog::program of_changed{changed}, of_cut{cut};
}

int main() {
  // CHECK: datalog-refused.cpp:[[#@LINE+3]]:5: error: Datalog: Undefined relation reach [ikra-datalog-program]
  ikra::datalog::program raw{R"(
    .decl edge(x: number, y: number)
    reach(x, y) :- edge(x, y).
  )"};
  // CHECK: datalog-refused.cpp:[[#@LINE+4]]:10: error: Datalog: Ungrounded variable y [ikra-datalog-program]
  auto macro = IKRA_DATALOG(R"(
    .decl a(x: number)
    .decl b(x: number, y: number)
    b(x, y) :- a(x).
  )");
  // CHECK: datalog-refused.cpp:[[#@LINE+2]]:42: error: Datalog: Undefined relation a
  ikra::datalog::program pieces(".decl b(x: number)\n"
                                "b(x) :- a(x).\n");
  // CHECK: datalog-refused.cpp:[[#@LINE+2]]:33: error: Datalog: syntax error, unexpected identifier a
  ikra::datalog::program syntax{
      ".decl b(x: number)\nb(x) a(x)."};
  ikra::datalog::program_options wide;
  wide.bits = 64;
  const ikra::datalog::program large{".decl a(x: number)\na(5000000000).", wide};
  // CHECK: datalog-refused.cpp:[[#@LINE+1]]:62: error: Datalog: Number constant
  const ikra::datalog::program narrow{".decl a(x: number)\na(5000000000)."};
}
