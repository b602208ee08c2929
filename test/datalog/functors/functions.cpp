// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the functors in these tests, as a user writes them. Those with a 64 in their
// names are for programs of 64 bits.
#include <ikra/datalog_functors.hpp>

#include <cstdint>
#include <string>

extern "C" {

std::int32_t twice(std::int32_t x) { return 2 * x; }
std::uint32_t mixed(std::uint32_t a, std::int32_t b) {
  return a * 31 + static_cast<std::uint32_t>(b);
}
float half(float x) { return x / 2; }
std::int32_t seven() { return 7; }
// More arguments than there are registers, of both kinds.
double many64(std::int64_t a, double b, const char* c, std::int64_t d, double e, std::int64_t f,
              std::uint64_t g, std::int64_t h, std::int64_t i) {
  return static_cast<double>(a) + b + static_cast<double>(c[0]) + static_cast<double>(d) + e +
         static_cast<double>(f) + static_cast<double>(g) + static_cast<double>(h * i);
}
std::int64_t twice64(std::int64_t x) { return 2 * x; }
// The text stays valid until the next call.
const char* tagged(const char* text, std::int32_t number) {
  static std::string made;
  made = std::string(text) + "#" + std::to_string(number);
  return made.c_str();
}
const char* nothing(const char*) { return nullptr; }

// Stateful ones, with both tables.
using word = std::int32_t;
using symbols = ikra::datalog::functors::symbol_table<word>;
using records = ikra::datalog::functors::record_table<word>;

word shouted(symbols* texts, records*, word text) {
  return texts->encode(texts->decode(text) + "!");
}
// Of [head, tail]: the list the other way round.
word reversed(symbols*, records* all, word list) {
  word made = 0;
  for (const word* cell = all->unpack(list, 2); cell != nullptr; cell = all->unpack(cell[1], 2))
    made = all->pack({cell[0], made});
  return made;
}
// Of Leaf {} | Node {left, right} | Sum {x: number}, which have the numbers 0, 1, 2: Sum of leaves.
word leaves(symbols*, records* all, word tree) {
  const auto count = [all](const auto& self, word at) -> word {
    const word* const parts = all->unpack(at, 2);
    if (parts[0] != 1)
      return parts[0] == 0 ? 1 : parts[1];
    const word* const fields = all->unpack(parts[1], 2);
    return self(self, fields[0]) + self(self, fields[1]);
  };
  return all->pack({2, count(count, tree)});
}
// Of an enumeration, whose values are its branches' numbers.
word next_of_three(symbols*, records*, word value) { return (value + 1) % 3; }
word known_texts(symbols* texts, records*, word text) {
  word count = 0;
  for (auto at = texts->begin(); !(at == texts->end()); ++at)
    count += at->first == texts->decode(text) ? 1 : 0;
  return count;
}
word no_record(symbols*, records*, word) { return 12345; }
word no_symbol(symbols* texts, records*, word number) {
  return static_cast<word>(texts->decode(number).size());
}
std::int64_t halved64(ikra::datalog::functors::symbol_table<std::int64_t>*,
                      ikra::datalog::functors::record_table<std::int64_t>* all, std::int64_t pair) {
  const std::int64_t* const fields = all->unpack(pair, 2);
  return all->pack({fields[0] / 2, fields[1]});
}
}
