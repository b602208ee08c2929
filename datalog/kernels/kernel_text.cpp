// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are bit patterns in 64-bit variables, named as shapes number them: i for inputs, c for
// columns of the tuple, v for what is computed.
#include "datalog/kernels/kernel_text.hpp"

#include <algorithm>
#include <vector>

namespace ikra::datalog {

namespace {

using plan::expression;
using plan::operation;

/// In the order of plan::operation.
constexpr const char* operation_names[] = {"constant",
                                           "variable",
                                           "call",
                                           "convert",
                                           "negate",
                                           "bit_not",
                                           "logical_not",
                                           "add",
                                           "subtract",
                                           "multiply",
                                           "divide",
                                           "remainder",
                                           "power",
                                           "bit_and",
                                           "bit_or",
                                           "bit_xor",
                                           "shift_left",
                                           "shift_right",
                                           "shift_right_unsigned",
                                           "logical_and",
                                           "logical_or",
                                           "logical_xor",
                                           "minimum",
                                           "maximum",
                                           "equal",
                                           "not_equal",
                                           "less",
                                           "less_equal",
                                           "greater",
                                           "greater_equal"};
static_assert(std::size(operation_names) == static_cast<std::size_t>(operation::greater_equal) + 1);

/// In the order of plan::kind.
constexpr const char* kind_names[] = {"number", "unsigned_number", "floating", "symbol"};

std::string type_text(plan::type of) {
  return std::string("kind::") + kind_names[static_cast<int>(of.of)] + ", " +
         std::to_string(of.bits);
}

std::string constant_text(u64 value) { return std::to_string(value) + "u"; }

/// The variables of an expression, by kind.
void collect(const expression& from, join_shape::sources kind, std::vector<u64>& found) {
  if (from.what == operation::variable && from.payload >> 32 == kind)
    found.push_back(from.payload & 0xffffffffu);
  for (const expression& operand : from.operands)
    collect(operand, kind, found);
}

/// \param shape whose functors calls number
std::string text_of(const expression& from, const join_shape& shape) {
  if (from.what == operation::variable)
    return std::string(1, "icv"[from.payload >> 32]) + std::to_string(from.payload & 0xffffffffu);
  if (from.what == operation::constant)
    return constant_text(from.payload);
  if (from.what == operation::call) {
    std::string arguments;
    for (const expression& operand : from.operands)
      arguments += (arguments.empty() ? "" : ", ") + text_of(operand, shape);
    return shape.functors[from.payload] + "::call(" + arguments + ")";
  }
  if (from.what == operation::convert)
    return "convert(" + text_of(from.operands[0], shape) + ", {" + type_text(from.operands[0].of) +
           "}, {" + type_text(from.of) + "})";
  return std::string("compute<operation::") + operation_names[static_cast<int>(from.what)] + ", " +
         type_text(from.of) + ">(" + text_of(from.operands[0], shape) + ", " +
         (from.operands.size() > 1 ? text_of(from.operands[1], shape) : "0") + ", call.fault)";
}

/// When a condition does not hold. Equality of bit patterns reads as what it is, but not that of a
/// value with itself, of which compilers warn.
std::string failure_text(const expression& test, const join_shape& shape) {
  const bool equal = test.what == operation::equal;
  if ((equal || test.what == operation::not_equal) && test.of.of != plan::kind::floating) {
    const std::string left = text_of(test.operands[0], shape),
                      right = text_of(test.operands[1], shape);
    if (left != right)
      return left + (equal ? " != " : " == ") + right;
  }
  return text_of(test, shape) + " == 0";
}

class writer {
public:
  std::string out;
  void line(int depth, const std::string& text) {
    out += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text + "\n";
  }
};

/// What a kernel's outputs are computed from.
std::vector<expression> expressions_of(const join_shape& shape) {
  std::vector<expression> all = shape.outputs;
  for (const join_shape::action& next : shape.actions) {
    all.push_back(next.value);
    all.insert(all.end(), next.keys.begin(), next.keys.end());
  }
  return all;
}

/// The values that one kind of source gives to expressions.
void read_values(const join_shape& shape, const std::vector<expression>& expressions,
                 join_shape::sources kind, writer& to) {
  std::vector<u64> used;
  for (const expression& value : expressions)
    collect(value, kind, used);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const bool rows = kind == join_shape::input;
  for (const u64 number : used) {
    if (!rows && !shape.range.empty()) {
      to.line(2, "const u64 c0 = tuple;");
      continue;
    }
    const unsigned bits = rows ? shape.input_bits[number] : shape.column_bits[number];
    to.line(2, std::string("const u64 ") + (rows ? "i" : "c") + std::to_string(number) +
                   " = read<" + std::to_string(bits) + ">(call." + (rows ? "inputs" : "columns") +
                   "[" + std::to_string(number) + "], " + (rows ? "row" : "tuple") + ");");
  }
}

/// The look-up's key.
void write_key(const join_shape& shape, writer& to) {
  to.line(1, "IKRA_DATALOG_BOTH static void key([[maybe_unused]] const join_call& call,");
  to.line(3, "[[maybe_unused]] u64 row, u64* key) {");
  for (std::size_t i = 0; i < shape.keys.size(); ++i) {
    const operand& from = shape.keys[i];
    const std::string input = std::to_string(from.content);
    to.line(2, "key[" + std::to_string(i) + "] = " +
                   (from.constant ? constant_text(from.content)
                                  : "read<" + std::to_string(shape.input_bits[from.content]) +
                                        ">(call.inputs[" + input + "], row)") +
                   ";");
  }
  to.line(1, "}");
}

/// The number of a row's values in a range.
void write_count(const join_shape& shape, writer& to) {
  to.line(1, "IKRA_DATALOG_BOTH static u64 count([[maybe_unused]] const join_call& call,");
  to.line(3, "[[maybe_unused]] u64 row) {");
  read_values(shape, shape.range, join_shape::input, to);
  to.line(2, "return range_length({" + type_text(shape.range[0].of) + "}, " +
                 text_of(shape.range[0], shape) + ", " + text_of(shape.range[1], shape) + ", " +
                 text_of(shape.range[2], shape) + ");");
  to.line(1, "}");
}

/// Leaves where a look-up finds a tuple, or none. \param number of the look-up in the kernel.
void write_look_up(const join_shape& shape, const join_shape::action& look, std::size_t number,
                   writer& to) {
  const std::string leave = look.what == join_shape::action::absent ? "if (" : "if (!";
  std::string keys;
  for (const expression& key : look.keys)
    keys += (keys.empty() ? "" : ", ") + text_of(key, shape);
  if (look.keys.empty()) {
    to.line(2, leave + "any(call.absent[" + std::to_string(number) + "]))");
  } else {
    const std::string name = "k" + std::to_string(number);
    to.line(2, "const u64 " + name + "[] = {" + keys + "};");
    to.line(2, leave + "found<" + std::to_string(look.keys.size()) + ">(call.absent[" +
                   std::to_string(number) + "], " + name + "))");
  }
  to.line(3, "return false;");
}

} // namespace

std::string kernel_text(const join_shape& shape, const std::string& name, const std::string& rule) {
  writer to;
  // A rule may stand on several lines, and a line of a comment must not end in a backslash.
  std::string about = rule;
  for (char& c : about)
    if (c == '\n' || c == '\r' || c == '\\')
      c = ' ';
  to.line(0, "// " + about);
  to.line(0, "struct " + name + " {");
  to.line(1, "static constexpr const char* shape =");
  to.line(3, "\"" + escaped_text(shape.text()) + "\";");
  to.line(1, "static constexpr unsigned keys = " + std::to_string(shape.keys.size()) +
                 ", outputs = " + std::to_string(shape.outputs.size()) +
                 ", words = " + std::to_string(shape.head_words) + ";");
  const bool tests =
      std::any_of(shape.actions.begin(), shape.actions.end(), [](const join_shape::action& next) {
        return next.what != join_shape::action::let;
      });
  const bool scans = shape.scans || shape.joins_nothing;
  to.line(1, std::string("static constexpr bool scans = ") + (scans ? "true" : "false") +
                 ", tests = " + (tests ? "true" : "false") + ";");
  if (!shape.keys.empty())
    write_key(shape, to);
  if (!shape.range.empty())
    write_count(shape, to);
  to.line(1, "IKRA_DATALOG_BOTH static bool make([[maybe_unused]] const join_call& call,");
  to.line(1,
          "    [[maybe_unused]] u64 row, [[maybe_unused]] u64 tuple, [[maybe_unused]] u64* out) {");
  const std::vector<expression> all = expressions_of(shape);
  read_values(shape, all, join_shape::input, to);
  read_values(shape, all, join_shape::column, to);
  std::size_t computed = 0, look_ups = 0;
  for (const join_shape::action& next : shape.actions) {
    if (next.what == join_shape::action::test) {
      to.line(2, "if (" + failure_text(next.value, shape) + ")");
      to.line(3, "return false;");
    } else if (next.what != join_shape::action::let) {
      write_look_up(shape, next, look_ups++, to);
    } else {
      to.line(2, "[[maybe_unused]] const u64 v" + std::to_string(computed++) + " = " +
                     text_of(next.value, shape) + ";");
    }
  }
  for (std::size_t i = 0; i < shape.outputs.size(); ++i)
    to.line(2, "out[" + std::to_string(i) + "] = " + text_of(shape.outputs[i], shape) + ";");
  to.line(2, "return true;");
  to.line(1, "}");
  to.line(0, "};");
  return to.out;
}

std::string escaped_text(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '"' || c == '\\' || c == '?') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += '\\';
      for (const int shift : {6, 3, 0})
        out += static_cast<char>('0' + ((byte >> shift) & 7));
    } else {
      out += c;
    }
  }
  return out;
}

} // namespace ikra::datalog
