// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser's half for what stands at the top of a program or of a component: declarations,
// directives, rules.
#include "datalog/frontend/parser.hpp"

#include <charconv>
#include <utility>

#include "datalog/frontend/token_reader.hpp"

namespace ikra::datalog {
namespace {

using detail::body_parser;
using detail::syntax_error;
using detail::token_reader;

class program_parser {
public:
  explicit program_parser(token_reader& in) : in_(in), bodies_(in) {}

  ast::program run() {
    ast::program read;
    while (!in_.at_end())
      item(read, nullptr);
    return read;
  }

private:
  // One declaration, directive, rule or fact; inside is the component around it.
  void item(ast::scope& into, ast::component* inside) {
    if (in_.peek().kind == token_kind::identifier)
      return rule(into);
    if (in_.peek().kind != token_kind::directive)
      in_.fail("a declaration, a rule or a fact");
    const location start = in_.peek().where;
    const std::string word = in_.take().text;
    if (word == ".decl")
      return relations(into);
    if (word == ".type" || word == ".number_type" || word == ".symbol_type")
      return type(into, word, start);
    if (word == ".input")
      return directives(into, ast::directive_kind::input);
    if (word == ".output")
      return directives(into, ast::directive_kind::output);
    if (word == ".printsize")
      return directives(into, ast::directive_kind::print_size);
    if (word == ".limitsize")
      return directives(into, ast::directive_kind::limit_size);
    if (word == ".comp")
      return component(into, start);
    if (word == ".init")
      return init(into, start);
    if (word == ".override" && inside != nullptr) {
      const token& name = in_.expect(token_kind::identifier, "identifier");
      inside->overridden.emplace_back(name.text, name.where);
      return;
    }
    if (word == ".pragma" && inside == nullptr)
      return pragma(start);
    if (word == ".functor" && inside == nullptr)
      return functor(into);
    if (word == ".lattice" && inside == nullptr)
      return lattice(into);
    unsupported(word, start);
  }

  [[noreturn]] void unsupported(const std::string& word, location where) {
    if (word == ".include" || word == ".once")
      in_.messages().error(word + " is for programs in files; a file to include is named in quotes",
                           where);
    else
      in_.messages().error("syntax error, unexpected " + word, where);
    throw syntax_error{};
  }

  void rule(ast::scope& into) {
    const location start = in_.peek().where;
    std::vector<ast::atom> heads;
    heads.push_back(bodies_.atom());
    if (in_.take_if("<="))
      return subsumption(into, start, std::move(heads[0]), bodies_.atom());
    while (in_.take_if(","))
      heads.push_back(bodies_.atom());
    ast::clause read;
    if (in_.take_if(":-"))
      read.body.push_back({in_.peek().where, ast::group{false, bodies_.disjunction()}});
    else if (heads.size() > 1)
      in_.fail(":-");
    if (!in_.peek().is("."))
      in_.fail(read.body.empty() ? ". or :-" : ", ; or .");
    in_.take();
    read.where = join(start, in_.last_where());
    if (in_.peek().kind == token_kind::directive && in_.peek().text == ".plan")
      read.order = plan();
    for (ast::atom& head : heads) {
      ast::clause& clause = into.clauses.emplace_back(read);
      clause.head = std::move(head);
    }
  }

  void subsumption(ast::scope& into, location start, ast::atom dominated, ast::atom dominating) {
    ast::clause read;
    read.subsumes = true;
    std::vector<ast::literal> conditions;
    for (ast::atom* side : {&dominated, &dominating})
      for (ast::argument& argument : side->arguments)
        if (!std::holds_alternative<ast::variable>(argument.node))
          name_value(argument, conditions);
    read.head = dominated;
    read.body.push_back({dominated.where, std::move(dominated)});
    read.body.push_back({dominating.where, std::move(dominating)});
    for (ast::literal& condition : conditions)
      read.body.push_back(std::move(condition));
    if (!in_.take_if(":-"))
      in_.fail(":-");
    read.body.push_back({in_.peek().where, ast::group{false, bodies_.disjunction()}});
    in_.expect(".");
    read.where = join(start, in_.last_where());
    if (in_.peek().kind == token_kind::directive && in_.peek().text == ".plan")
      read.order = plan();
    into.clauses.push_back(std::move(read));
  }

  // A value in a head of a subsumptive rule is that of a variable: both tuples are taken whole.
  void name_value(ast::argument& argument, std::vector<ast::literal>& conditions) {
    const bool any = std::holds_alternative<ast::wildcard>(argument.node);
    const ast::argument name{argument.where, ast::variable{std::string(any ? "_" : "value") + "'s" +
                                                           std::to_string(++values_)}};
    if (!any)
      conditions.push_back(
          {argument.where, ast::constraint{comparison::equal, name, std::move(argument)}});
    argument = name;
  }

  ast::plan plan() {
    ast::plan read;
    in_.take();
    do {
      const std::int64_t version = integer();
      in_.expect(":");
      ast::plan::order order{{}, in_.peek().where};
      in_.expect("(");
      if (!in_.take_if(")")) {
        do
          order.atoms.push_back(integer());
        while (in_.take_if(","));
        in_.expect(")");
      }
      order.where = join(order.where, in_.last_where());
      read.orders[version] = std::move(order); // of several, the last one
    } while (in_.take_if(","));
    return read;
  }

  std::int64_t integer() {
    const token& t = in_.expect(token_kind::number, "number");
    std::int64_t value = 0;
    const auto [end, problem] =
        std::from_chars(t.text.data(), t.text.data() + t.text.size(), value);
    if (problem != std::errc{} || end != t.text.data() + t.text.size())
      in_.messages().error("Number out of range", t.where);
    return value;
  }

  std::vector<ast::attribute> attributes(std::string_view open, std::string_view close) {
    in_.expect(open);
    std::vector<ast::attribute> read;
    if (in_.take_if(close))
      return read;
    do {
      ast::attribute& attribute = read.emplace_back();
      attribute.name = in_.expect(token_kind::identifier, "identifier").text;
      in_.expect(":");
      type_of(attribute);
      if (in_.take_if("<")) {
        in_.expect(">");
        attribute.lattice = true;
        if (open != "(")
          in_.messages().error("Lattices are for columns of relations", attribute.where);
      }
    } while (in_.take_if(","));
    if (!in_.peek().is(close))
      in_.fail(", or " + std::string{close});
    in_.take();
    return read;
  }

  void relations(ast::scope& into) {
    std::vector<ast::relation> read;
    do {
      const token& name = in_.expect(token_kind::identifier, "identifier");
      ast::relation& relation = read.emplace_back();
      relation.name = name.text;
      relation.where = name.where;
    } while (in_.take_if(","));
    ast::relation marked;
    std::vector<ast::attribute> columns;
    if (in_.take_if("=")) {
      if (!in_.peek().is_word("debug_delta"))
        in_.fail("debug_delta");
      in_.take();
      in_.expect("(");
      marked.traced = bodies_.qualified_name();
      in_.expect(")");
    } else {
      columns = attributes("(", ")");
    }
    std::vector<ast::directive> implied;
    while (in_.peek().kind == token_kind::identifier &&
           (in_.peek().is_word("choice-domain") || (!in_.peek(1).is("(") && !in_.peek(1).is("."))))
      qualifier(marked, implied);
    for (ast::relation& relation : read) {
      relation.attributes = columns;
      relation.stored = marked.stored;
      relation.inlined = marked.inlined;
      relation.overridable = marked.overridable;
      relation.choices = marked.choices;
      relation.traced = marked.traced;
      for (ast::directive directive : implied) {
        directive.relation = relation.name;
        into.directives.push_back(std::move(directive));
      }
      into.relations.push_back(std::move(relation));
    }
  }

  void qualifier(ast::relation& marked, std::vector<ast::directive>& implied) {
    const token& t = in_.take();
    auto store_as = [&](ast::representation form) {
      if (marked.stored != ast::representation::standard)
        in_.messages().error("btree/brie/eqrel qualifier already set", t.where);
      marked.stored = form;
    };
    if (t.text == "btree" || t.text == "btree_delete") {
      store_as(ast::representation::btree);
    } else if (t.text == "brie") {
      store_as(ast::representation::brie);
    } else if (t.text == "eqrel") {
      store_as(ast::representation::equivalence);
    } else if (t.text == "inline") {
      marked.inlined = true;
    } else if (t.text == "overridable") {
      marked.overridable = true;
    } else if (t.text == "input") {
      implied.push_back({t.where, ast::directive_kind::input, "", {}});
    } else if (t.text == "output") {
      implied.push_back({t.where, ast::directive_kind::output, "", {}});
    } else if (t.text == "printsize") {
      implied.push_back({t.where, ast::directive_kind::print_size, "", {}});
    } else if (t.text == "choice-domain") {
      do
        marked.choices.push_back(choice_domain());
      while (in_.take_if(","));
    } else if (t.text != "magic" && t.text != "no_magic" && t.text != "no_inline") {
      in_.messages().error("syntax error, unexpected identifier " + t.text +
                               ", expecting a relation qualifier",
                           t.where);
      throw syntax_error{};
    }
  }

  // An attribute, or several in brackets.
  std::vector<std::pair<std::string, location>> choice_domain() {
    std::vector<std::pair<std::string, location>> read;
    const bool several = in_.take_if("(");
    do {
      const token& name = in_.expect(token_kind::identifier, "identifier");
      read.emplace_back(name.text, name.where);
    } while (several && in_.take_if(","));
    if (several)
      in_.expect(")");
    return read;
  }

  void type(ast::scope& into, const std::string& word, location start) {
    ast::type read;
    read.name = in_.expect(token_kind::identifier, "identifier").text;
    if (word != ".type")
      read.definition = ast::subset_type{word == ".number_type" ? "number" : "symbol"};
    else if (in_.take_if("<:"))
      read.definition = ast::subset_type{bodies_.qualified_name()};
    else if (!in_.take_if("="))
      read.definition = ast::subset_type{"symbol"};
    else if (in_.peek().is("["))
      read.definition = ast::record_type{attributes("[", "]")};
    else if (in_.peek(1).is("{"))
      read.definition = sum();
    else
      read.definition = alternatives();
    read.where = join(start, in_.last_where());
    into.types.push_back(std::move(read));
  }

  ast::sum_type sum() {
    ast::sum_type read;
    do {
      const token& name = in_.expect(token_kind::identifier, "identifier");
      read.branches.push_back({name.where, name.text, attributes("{", "}")});
    } while (in_.take_if("|"));
    return read;
  }

  ast::union_type alternatives() {
    ast::union_type read;
    do
      read.elements.push_back(bodies_.qualified_name());
    while (in_.take_if("|"));
    return read;
  }

  void directives(ast::scope& into, ast::directive_kind kind) {
    std::vector<ast::directive> read;
    do {
      const location start = in_.peek().where;
      ast::directive& directive = read.emplace_back();
      directive.kind = kind;
      directive.relation = bodies_.qualified_name();
      directive.where = join(start, in_.last_where());
    } while (in_.take_if(","));
    std::map<std::string, std::string> parameters;
    if (in_.take_if("(") && !in_.take_if(")")) {
      do {
        const std::string key = in_.expect(token_kind::identifier, "identifier").text;
        in_.expect("=");
        const token_kind value = in_.peek().kind;
        if (value != token_kind::string && value != token_kind::identifier &&
            value != token_kind::number)
          in_.fail("a string, an identifier or a number");
        parameters[key] = in_.take().text;
      } while (in_.take_if(","));
      in_.expect(")");
    }
    for (ast::directive& directive : read) {
      directive.parameters = parameters;
      into.directives.push_back(std::move(directive));
    }
  }

  ast::component_type component_type() {
    ast::component_type read;
    const token& name = in_.expect(token_kind::identifier, "identifier");
    read.name = name.text;
    const location start = name.where;
    if (in_.take_if("<")) {
      do
        read.parameters.push_back(bodies_.qualified_name());
      while (in_.take_if(","));
      in_.expect(">");
    }
    read.where = join(start, in_.last_where());
    return read;
  }

  void component(ast::scope& into, location start) {
    if (++depth_ > max_depth) {
      in_.messages().error("Nesting is deeper than " + std::to_string(max_depth), start);
      throw syntax_error{};
    }
    ast::component read;
    read.head = component_type();
    if (in_.take_if(":")) {
      do
        read.bases.push_back(component_type());
      while (in_.take_if(","));
    }
    read.where = join(start, in_.last_where());
    in_.expect("{");
    while (!in_.take_if("}"))
      item(read, &read);
    --depth_;
    into.components.push_back(std::move(read));
  }

  void init(ast::scope& into, location start) {
    ast::component_init read;
    read.name = in_.expect(token_kind::identifier, "identifier").text;
    in_.expect("=");
    read.type = component_type();
    read.where = join(start, in_.last_where());
    into.inits.push_back(std::move(read));
  }

  // Parameters may have names or not.
  void functor(ast::scope& into) {
    ast::functor_declaration read;
    const token& name = in_.expect(token_kind::identifier, "identifier");
    read.name = name.text;
    read.where = name.where;
    in_.expect("(");
    if (!in_.take_if(")")) {
      do {
        ast::attribute& parameter = read.parameters.emplace_back();
        if (in_.peek(1).is(":")) {
          parameter.name = in_.expect(token_kind::identifier, "identifier").text;
          in_.expect(":");
        }
        type_of(parameter);
      } while (in_.take_if(","));
      in_.expect(")");
    }
    in_.expect(":");
    type_of(read.result);
    read.stateful = in_.take_word("stateful");
    into.functors.push_back(std::move(read));
  }

  void lattice(ast::scope& into) {
    ast::lattice read;
    const token& name = in_.expect(token_kind::identifier, "identifier");
    read.name = name.text;
    read.where = name.where;
    for (const char* mark : {"<", ">", "{"})
      in_.expect(mark);
    do {
      const token& op = in_.expect(token_kind::identifier, "identifier");
      in_.expect("->");
      if (op.text != "Bottom" && op.text != "Top" && op.text != "Lub" && op.text != "Glb" &&
          op.text != "Leq")
        in_.messages().error("Lattice operator not recognized", op.where);
      read.operators.insert_or_assign(op.text, bodies_.argument());
    } while (in_.take_if(","));
    in_.expect("}");
    into.lattices.push_back(std::move(read));
  }

  void type_of(ast::attribute& attribute) {
    const location start = in_.peek().where;
    attribute.type = bodies_.qualified_name();
    attribute.where = join(start, in_.last_where());
  }

  void pragma(location start) {
    const std::string name = in_.expect(token_kind::string, "symbol").text;
    if (in_.peek().kind == token_kind::string)
      in_.take();
    in_.messages().warning("Pragma \"" + name + "\" is ignored", join(start, in_.last_where()));
  }

  static constexpr int max_depth = 100;
  token_reader& in_;
  body_parser bodies_;
  int depth_ = 0;
  int values_ = 0; ///< of subsumptive rules' heads that got a name
};

} // namespace

ast::program parse(const source_text& source, diagnostics& messages) {
  token_reader in(lex(source, messages), messages);
  if (messages.errors() > 0)
    return {};
  try {
    return program_parser(in).run();
  } catch (const syntax_error&) {
    return {};
  }
}

} // namespace ikra::datalog
