# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random hierarchies of classes with graphs of objects: levels, interfaces, containers, ownership, virtual calls, scopes with
changes by the host, scopes within each other, objects that come and go, subsets, captured containers. Each program runs on several
graphs, since compiling it takes most of the time.

Programs are right by construction. Sections write members of their own element that end in `next`, or counters by atomic
operations; others' members that they read are written by the section that commits, or by the host. All numbers are unsigned,
so that they wrap.
"""
from __future__ import annotations

import random

# Ways to hold many objects, and one: the type, and how to go through it, or to look at it.
MANY = ["std::vector<{0}*>", "std::vector<std::shared_ptr<{0}>>", "std::array<{0}*, 3>", "{0}* {1}[2]",
        "std::vector<std::vector<{0}*>>", "std::vector<std::pair<{0}*, unsigned>>", "std::vector<std::optional<{0}*>>",
        "std::vector<Link>", "std::vector<std::vector<std::shared_ptr<{0}>>>"]
ONE = ["{0}*", "std::shared_ptr<{0}>", "std::weak_ptr<{0}>", "std::optional<{0}*>", "std::pair<{0}*, unsigned>", "Link"]
NUMBERS = ["unsigned", "std::uint8_t", "std::uint16_t", "std::uint64_t"]
LISTS = ["std::vector<unsigned>", "std::array<std::uint16_t, 3>", "std::vector<std::vector<unsigned>>", "unsigned {1}[4]",
         "unsigned {1}[2][2]", "std::vector<unsigned> {1}[2]"]


class Member:
    """A member of a class: its name, its type with {1} for the name where it goes into the declarator."""

    def __init__(self, name: str, type_: str):
        self.name, self.type = name, type_

    def declaration(self) -> str:
        if "{1}" in self.type or f" {self.name}[" in self.type:
            return self.type.replace("{1}", self.name) + "{};"
        return f"{self.type} {self.name}{{}};"


class ObjectProgram:
    """The text of one seed's program."""

    def __init__(self, seed: int):
        self.name = f"objects_{seed}"
        self.seed = seed
        self.dice = random.Random(f"objects {seed}")
        self.classes: list[dict] = []
        self.has_state = self.dice.random() < 0.7  # a held object with methods
        self.has_spare = self.has_state and self.dice.random() < 0.4  # perhaps a second one
        self.globals = self.dice.random() < 0.3
        self.counts = self.dice.random() < 0.5  # visits, by atomic operations
        self.has_leaves = self.dice.random() < 0.35  # owned objects of two classes
        self.has_row = self.has_state and self.dice.random() < 0.35  # held objects in a vector
        self.seen = 0
        self.make_classes()

    # -- classes ---------------------------------------------------------------------------------------------------

    def make_classes(self) -> None:
        """A tree of classes below Node; some abstract, some with an interface."""
        dice = self.dice
        count = dice.randint(1, 6)
        self.polymorphic = count > 1 or dice.random() < 0.5
        for k in range(count):
            base = None if k == 0 else dice.randrange(k)
            self.classes.append({
                "name": "Node" if k == 0 else f"Node{k}",
                "base": base,
                "interface": k > 0 and dice.random() < 0.3,
                "abstract": k < count - 1 and k > 0 and dice.random() < 0.2,
                "numbers": [Member(f"n{k}_{i}", dice.choice(NUMBERS)) for i in range(dice.randint(1, 3))],
                "lists": [Member(f"l{k}_{i}", dice.choice(LISTS)) for i in range(dice.randint(0, 2))],
                "ones": [Member(f"o{k}_{i}", dice.choice(ONE).format("Node", "{1}")) for i in range(dice.randint(0, 2))],
                "many": [Member(f"m{k}_{i}", dice.choice(MANY).format("Node", f"m{k}_{i}")) for i in range(dice.randint(0, 2))],
                "private": dice.random() < 0.5,
                "overrides": k == 0 or dice.random() < 0.7,
                "steps": k == 0 or dice.random() < 0.5,
            })
        self.classes[-1]["abstract"] = False
        self.classes[0]["many"].append(Member("edges", dice.choice(MANY).format("Node", "edges")))

    def lineage(self, k: int) -> list[dict]:
        """The class and its bases."""
        of = self.classes[k]
        return [of] + (self.lineage(of["base"]) if of["base"] is not None else [])

    def members(self, k: int, kind: str) -> list[Member]:
        return [m for of in self.lineage(k) for m in of[kind]]

    def number(self) -> str:
        return f"{self.dice.choice([1, 2, 3, 5, 7, 31, 255, 65537])}U"

    def combine(self, terms: list[str]) -> str:
        """An expression over some of the terms."""
        dice = self.dice
        text = dice.choice(terms)
        for _ in range(dice.randint(1, 3)):
            operator = dice.choice(["+", "-", "*", "^", "|", "&"])
            other = dice.choice([*terms, self.number()])
            text = f"({text} {operator} {other})"
        return text if dice.random() < 0.7 else f"({text} % 2U == 0U ? {self.number()} : {text} >> 1U)"

    def terms(self, k: int) -> list[str]:
        """Numbers of an object that only the host and commit() write, as its methods see them."""
        terms = ["state"] + [f"unsigned({m.name})" for m in self.members(k, "numbers")]
        if self.has_state:
            terms += ["held.mixed(state)", "held.part"]
        return terms

    def look(self, member: Member, use: str) -> list[str]:
        """Statements that add what `use` says of an object p to `sum`, for the object of a member."""
        name, type_ = member.name, member.type
        if type_.startswith("std::weak_ptr"):
            return [f"if (const auto p = {name}.lock()) sum += {use};"]
        if type_.startswith("std::optional"):
            return [f"if ({name}) {{ const Node* p = *{name}; if (p != nullptr) sum += {use}; }}"]
        if type_.startswith("std::pair"):
            return [f"if (const Node* p = {name}.first; p != nullptr) sum += {use} + {name}.second;"]
        if type_ == "Link":
            return [f"if (const Node* p = {name}.to; p != nullptr) sum += {use} * {name}.weight;"]
        return [f"if (const auto& p = {name}; p != nullptr) sum += {use};"]

    def go_through(self, member: Member, use: str) -> list[str]:
        name, type_ = member.name, member.type
        if "std::vector<std::vector" in type_:
            if "shared" in type_: # named as if they were changed, which sections cannot do
                return [f"for (auto& list : {name}) for (auto& p : list) if (p != nullptr) sum = sum * 5U + {use};"]
            if self.dice.random() < 0.5:
                return [f"for (const auto& list : {name}) for (const Node* p : list) if (p != nullptr) sum += {use};"]
            return [f"for (std::size_t i = 0; i < {name}.size(); ++i) for (std::size_t j = 0; j < {name}[i].size(); ++j)",
                    f"  if (const Node* p = {name}[i][j]; p != nullptr) sum = sum * 3U + {use};"]
        if "std::pair" in type_:
            return [f"for (const auto& [p, weight] : {name}) if (p != nullptr) sum += {use} ^ weight;"]
        if "optional" in type_:
            return [f"for (const auto& each : {name}) if (each) {{ const Node* p = *each; if (p != nullptr) sum += {use}; }} else ++sum;"]
        if "Link" in type_:
            link = self.dice.choice(["const Link& link", "Link link", "const auto link"])
            return [f"for ({link} : {name}) if (link.to != nullptr) {{ const Node* p = link.to; sum += {use} * link.weight; }}"]
        if self.dice.random() < 0.3 and "vector" in type_:
            return [f"if (!{name}.empty()) if (const auto& p = {name}.{self.dice.choice(['front', 'back'])}(); p != nullptr) sum += {use};"]
        return [f"for (const auto& p : {name}) if (p != nullptr) sum = sum * 5U + {use};"]

    def read_list(self, member: Member) -> list[str]:
        name, type_ = member.name, member.type
        if "std::vector<std::vector" in type_ or "[2][2]" in type_ or type_.startswith("std::vector<unsigned> "):
            return [f"for (const auto& list : {name}) for (const unsigned x : list) sum = sum * 7U + x;"]
        return [f"for (const unsigned x : {name}) sum ^= x * {self.number()};"]

    def function(self, head: str, k: int, statements: list[str], result: str) -> list[str]:
        return [f"  {head} {{", "    unsigned sum = seed;", *("    " + s for s in statements), f"    return {result};", "  }"]

    def class_text(self, k: int) -> list[str]:
        dice, of = self.dice, self.classes[k]
        bases = ([f"public {self.classes[of['base']]['name']}"] if of["base"] is not None else [])
        if of["interface"]:
            bases.append(f"public Tagged{k}")
        virtual = "virtual " if k == 0 and self.polymorphic else ""
        override = " override" if k > 0 else ""
        lines = []
        if of["interface"]:
            lines += [f"struct Tagged{k} {{", f"  virtual ~Tagged{k}() = default;", f"  unsigned tag{k} = {self.number()};",
                      f"  virtual unsigned marked{k}(unsigned x) const {{ return x * tag{k}; }}", "};"]
        lines += [f"class {of['name']}{' : ' + ', '.join(bases) if bases else ''} {{", "public:"]
        if k == 0 and self.polymorphic:
            lines.append("  virtual ~Node() = default;")
        # What others may ask: of numbers and lists of one's own alone, so that no call goes in circles.
        if of["overrides"]:
            terms = self.terms(k)
            body = [s for m in self.members(k, "lists") if dice.random() < 0.6 for s in self.read_list(m)]
            if of["interface"]:
                body.append(f"sum = marked{k}(sum);")
            head = f"{virtual}unsigned value(unsigned seed) const{override if self.polymorphic else ''}"
            lines += self.function(head, k, body, self.combine([*terms, "sum"]))
        if of["abstract"]:
            lines.append("  virtual unsigned only() const = 0;")
        elif any(c["abstract"] for c in self.lineage(k)):
            lines.append(f"  unsigned only() const override {{ return {self.combine(self.terms(k))}; }}")
        if of["steps"]:
            use = self.use()
            body = []
            for m in self.members(k, "ones"):
                body += self.look(m, self.use())
            for m in self.members(k, "many"):
                body += self.go_through(m, use)
            if dice.random() < 0.4:
                body += self.walk()
            if k > 0 and dice.random() < 0.5:
                body += self.ask_class(k)
            if k == 0 and self.has_spare:
                body.append("if (spare) sum += spare->mixed(seed);")
            if k == 0 and self.has_leaves:
                body.append("for (const auto& leaf : leaves) sum = sum * 3U + leaf->heavy(seed);")
            if k == 0 and self.has_row:
                body.append(dice.choice(["for (const Held& each : row) sum += each.mixed(seed);",
                                         "for (std::size_t i = 0; i < row.size(); ++i) sum ^= row[i].part;",
                                         "if (!row.empty()) sum += row.back().mixed(sum);"]))
            head = f"{virtual}unsigned gathered(unsigned seed) const{override if self.polymorphic else ''}"
            lines += self.function(head, k, body, self.combine(["sum", *self.terms(k)]))
        if k == 0:
            lines += self.root_text()
        lines.append("  unsigned hash() const {" if not self.polymorphic
                     else f"  {virtual}unsigned hash() const{override} {{")
        lines += [f"    unsigned sum = {self.classes[of['base']]['name'] + '::hash()' if of['base'] is not None else 'state'};"]
        for m in of["numbers"]:
            lines.append(f"    sum = sum * 31U + unsigned({m.name});")
        if k == 0 and self.has_state:
            lines.append("    sum = sum * 31U + held.part + 3U * held.rest;")
        if k == 0 and self.has_spare:
            lines.append("    sum = sum * 31U + (spare ? spare->part : 5U);")
        if k == 0 and self.has_leaves:
            lines.append("    for (const auto& leaf : leaves) sum = sum * 31U + leaf->weight;")
        if k == 0 and self.has_row:
            lines.append("    for (const Held& each : row) sum = sum * 31U + each.part;")
        for m in of["lists"]:
            lines += ["    " + s for s in self.read_list(m)]
        lines += ["    return sum;", "  }", *self.fill_text(k)]
        if of["private"]:
            lines.append("protected:")
        for kind in ("numbers", "lists", "ones", "many"):
            lines += ["  " + m.declaration() for m in of[kind]]
        return [*lines, "  IKRA_OBJECT", "};"]

    def use(self) -> str:
        return self.dice.choice(["p->value(seed)", "p->state", "p->value(sum)", "p->value(state)"])

    def walk(self) -> list[str]:
        form = self.dice.randrange(5)
        if form == 2: # frames that are local, some of them made in braces
            return ["struct Frame {", "  const Node* at;", "  unsigned depth;", "};", "Frame frames[6] = {{to, 0U}};", "int top = 1;",
                    "for (int i = 0; i < 6 && top > 0; ++i)",
                    "  if (const Frame frame = frames[--top]; frame.at != nullptr) {",
                    "    sum += frame.at->state + frame.depth;",
                    "    frames[top++] = {frame.at->to, frame.depth + 1U};",
                    f"    if (frame.depth == {self.dice.randint(1, 3)}U) frames[top++] = Frame{{to, 9U}};",
                    "  }"]
        if form == 3: # a struct that functions take and give, and that may be missing
            return ["if (to != nullptr) {", "  Step step(to);", "  std::optional<Mark> best;",
                    "  for (unsigned i = 0; i < 4U && step.more(); ++i) {",
                    "    const Mark mark = step.mark(seed);", "    if (!best || best->weight < mark.weight) best = mark;",
                    "    step = advanced(step);", "  }",
                    "  if (best) sum += best->at->state ^ best->weight;", "}"]
        if form == 4: # copies of whole objects
            of = "Held" if self.has_state and (self.polymorphic or self.dice.random() < 0.5) else "Node"
            if of == "Held":
                return ["if (to != nullptr) {", "  const Held copy = to->held;", "  Held own = held;",
                        "  own.part ^= copy.mixed(seed);", "  Held kept[2] = {own, copy};",
                        f"  kept[seed % 2U].part += {self.number()};", "  const Held last = kept[1];",
                        "  sum += last.mixed(kept[0].part) + own.part;", "}"]
            if not (self.polymorphic or self.counts or self.has_spare or self.has_leaves or self.has_row):
                return ["if (to != nullptr) {", "  Node copy = *to;", "  Node& name = copy;",
                        f"  name.state += seed ^ {self.number()};", "  sum += copy.value(seed) + copy.state + to->state;", "}"]
        if form == 0:
            return ["int hops = 0;", "for (const Node* p = to; p != nullptr && hops < 5; p = p->to, ++hops) sum += p->value(seed);"]
        return ["const Node* stack[4];", "int top = 0;", "stack[top++] = to;",
                "for (int i = 0; i < 4 && top > 0; ++i)",
                "  if (const Node* p = stack[--top]; p != nullptr) { sum += p->state; stack[top++] = p->to; }"]

    def ask_class(self, last: int) -> list[str]:
        k = self.dice.randint(1, last)
        name = self.classes[k]["name"]
        if self.classes[k]["abstract"] or self.dice.random() < 0.6:
            return [f"if (dynamic_cast<const {name}*>(to) != nullptr) sum += {self.number()};"]
        return [f"if (to != nullptr && typeid(*to) == typeid({name})) sum ^= {self.number()};"]

    def root_text(self) -> list[str]:
        """What all objects have: the state, where they lead to, and the two halves of a step."""
        lines = ["  void prepare(unsigned seed) {", "    next = gathered(seed);",
                 "    tonext = to != nullptr && next % 3U == 0U ? to->to : to;"]
        if self.globals:
            lines.append(f"    next += shifts[next % 3U] * factor;")
        if self.counts:
            lines += ["    if (to != nullptr) ikra::atomic_add(to->visits, 1U + seed % 5U);"]
        lines += ["  }", "  void commit() {", "    state = next;", "    to = tonext;"]
        if self.has_state:
            lines += ["    " + s for s in self.change_held()]
            if self.has_spare:
                lines.append(self.dice.choice(["    if (spare) spare->part += next;",
                                                   "    if (spare.has_value()) *spare = spare->mixed_with(next);",
                                                   "    if (spare != std::nullopt) held.part ^= (*spare).mixed(next);"]))
        if self.has_leaves:
            lines.append("    for (auto& leaf : leaves) leaf->weight += next % 7U;")
        if self.has_row:
            lines.append("    for (Held& each : row) each.part = each.mixed(next);")
        for m in self.classes[0]["numbers"]:
            if self.dice.random() < 0.5:
                lines.append(f"    {m.name} = static_cast<{m.type}>({m.name} + next);")
        for m in self.classes[0]["lists"]:
            if "std::vector<std::vector" in m.type or "[2][2]" in m.type or m.type.startswith("std::vector<unsigned> "):
                lines.append(f"    for (auto& list : {m.name}) for (auto& x : list) x += next;")
            else:
                lines.append(f"    for (auto& x : {m.name}) x = static_cast<std::remove_reference_t<decltype(x)>>(x ^ next);")
        lines += ["  }", "  unsigned pick(unsigned k) const {", "    static constexpr unsigned Node::*axes[] = {&Node::id, &Node::state};",
                  "    return this->*axes[k % 2U];", "  }", "  unsigned state = 0, next = 0, visits = 0;", "  Node* to = nullptr;", "  Node* tonext = nullptr;"]
        if self.has_state:
            lines.append("  Held held;")
        if self.has_spare:
            lines.append("  std::optional<Held> spare;")
        if self.has_leaves:
            lines.append("  std::vector<std::unique_ptr<Leaf>> leaves;")
        if self.has_row:
            lines.append("  std::vector<Held> row;")
        return lines

    def change_held(self) -> list[str]:
        """Statements that change the object that a Node holds, which has a label that no section uses."""
        form = self.dice.randrange(6)
        if form == 0:
            return ["held.part = held.mixed(next);"]
        if form == 1: # the object as a whole
            return ["Held changed = held;", "changed.part = changed.mixed(next);", "held = changed;"]
        if form == 2:
            return ["held = held.mixed_with(next);"]
        if form == 3:
            return ["const auto change = [&](Held& of) { of.part ^= next; };", "Held changed = held;", "change(changed);",
                    "const auto again = [&changed](unsigned by) { changed.rest += by; };", "again(next);", "held = changed;"]
        if form == 4:
            return ["Held best = held;", "for (unsigned i = 0; i < 3U; ++i) {", "  Held tried = best;",
                    "  tried.part = tried.mixed(i + next);", "  if (tried.part < best.part) best = tried;", "}", "held = best;"]
        return ["const Held before = held;", "held.part += next;", "++held.rest;", "if (held.part % 2U == 0U) held = before;"]

    def fill_text(self, k: int) -> list[str]:
        """How the host makes an object's members, at first and again; `nodes` are all objects."""
        of = self.classes[k]
        virtual = "virtual " if k == 0 and self.polymorphic else ""
        override = " override" if k > 0 and self.polymorphic else ""
        lines = [f"  {virtual}void fill(unsigned d, const std::vector<std::shared_ptr<Node>>& nodes){override} {{",
                 "    const unsigned reach = d % 4U == 0U ? 1U + unsigned(nodes.size()) / 16U : unsigned(nodes.size()); // some objects lead to few",
                 "    const auto share = [&](unsigned i) { return nodes[toss(d, i) % reach]; };",
                 "    const auto pick = [&](unsigned i) { return share(i + 100U).get(); };",
                 "    (void)pick, (void)share;"]
        if of["base"] is not None:
            lines.append(f"    {self.classes[of['base']]['name']}::fill(d, nodes);")
        else:
            lines += ["    state = d * 2654435761U;", "    to = d % 4U != 0U ? pick(1) : nullptr;"]
            if self.has_state:
                lines.append("    held.part = d; held.rest = d % 3U;")
            if self.has_spare:
                lines.append("    if (d % 3U == 0U) spare.reset(); else { spare.emplace(); spare->part = d; }")
            if self.has_leaves:
                lines += ["    leaves.clear();", "    for (unsigned i = 0; i < d % 4U; ++i)",
                          "      if ((d + i) % 2U == 0U) leaves.push_back(std::make_unique<Twig>(d + i)); else leaves.push_back(std::make_unique<Leaf>(d));"]
            if self.has_row:
                lines.append("    row.assign(d % 4U, Held{}); for (Held& each : row) each.part = d * 5U;")
        for m in of["numbers"]:
            lines.append(f"    {m.name} = static_cast<{m.type}>(d * {self.number()});")
        for m in of["lists"]:
            if "std::vector<std::vector" in m.type:
                lines.append(f"    {m.name}.assign(d % 4U, {{}}); for (auto& list : {m.name}) list.assign((d + unsigned(list.size())) % 3U, d);")
            elif m.type.startswith("std::vector<unsigned> "):
                lines.append(f"    for (auto& list : {m.name}) list.assign(d % 5U, d + 1U);")
            elif "[2][2]" in m.type:
                lines.append(f"    for (auto& row : {m.name}) for (auto& x : row) x = d * 3U;")
            elif m.type.startswith("std::vector"):
                lines.append(f"    {m.name}.assign(d % 6U, d + 5U);")
            else:
                lines.append(f"    for (auto& x : {m.name}) x = static_cast<std::remove_reference_t<decltype(x)>>(d + 9U);")
        for i, m in enumerate(of["ones"]):
            null = "" if "weak" in m.type else f"if (d % {self.dice.randint(2, 5)}U == 0U) {m.name} = {{}}; else "
            if "shared" in m.type or "weak" in m.type:
                lines.append(f"    {null}{m.name} = share({i});")
            elif "pair" in m.type or m.type == "Link":
                lines.append(f"    {null}{m.name} = {{pick({i}), d % 9U}};")
            else:
                lines.append(f"    {null}{m.name} = pick({i});")
        for i, m in enumerate(of["many"]):
            value = f"pick(i + {i}U)"
            if "shared" in m.type:
                value = f"share(i + {i}U)"
            elif "pair" in m.type or "Link" in m.type:
                value = f"{{pick(i + {i}U), d % 9U + i}}"
            if "std::vector<std::vector" in m.type:
                lines.append(f"    {m.name}.assign(d % 3U, {{}}); for (unsigned i = 0; i < {m.name}.size(); ++i) {m.name}[i].assign((d + i) % 3U, {value});")
            elif m.type.startswith("std::vector"):
                lines.append(f"    {m.name}.clear(); for (unsigned i = 0; i < d % {self.dice.randint(2, 6)}U; ++i) {m.name}.push_back({value});")
            else:
                lines.append(f"    for (unsigned i = 0; i < std::size({m.name}); ++i) {m.name}[i] = (d + i) % 3U == 0U ? nullptr : {value};")
        return [*lines, "  }"]

    # -- the program -----------------------------------------------------------------------------------------------

    def over(self) -> tuple[str, str]:
        """An array of objects: statements before, and its text."""
        form = self.dice.randrange(6)
        if form == 0:
            return "", f"all.pselect([](const Node* n) {{ return n->state % {self.dice.randint(2, 4)}U != 0U; }})"
        if form == 1:
            return "", "ikra::array{some}"
        if form == 2:
            return "", "ikra::array{backwards}"
        return "", self.dice.choice(["all", "ikra::objects(nodes)"])

    def action(self) -> list[str]:
        dice, seed = self.dice, self.number()
        form = dice.randrange(13)
        if form >= 11:
            return self.captures()
        if form >= 9:
            return self.sequence(is_loop=form == 10)
        _, over = self.over()
        if form == 8: # structs with pointers
            self.seen += 1
            n = self.seen
            return [f"std::printf(\"%u\\n\", {over}.pmap([k](Node* n) {{ return Edge{{n, n->to, n->value(k)}}; }})"
                    ".pmap([](const Edge& e) { return e.to != nullptr ? e.from->state ^ e.to->value(e.weight) : e.weight; }).sum());",
                    f"const Edge seen{n}{{nodes[0].get(), k % 2U == 0U ? nodes.back().get() : nullptr, k}};",
                    f"std::printf(\"%u\\n\", {over}.pmap([seen{n}](const Node* n) {{ return n == seen{n}.from ? seen{n}.weight : "
                    f"n->state ^ (seen{n}.to != nullptr ? seen{n}.to->value(seen{n}.weight) : 2U); }}).sum());",
                    "edges = ikra::array<Edge, 1>(all.pmap([k](const Node* n) { return Edge{n->to, n->tonext, k}; }));",
                    "std::printf(\"%u\\n\", edges.pmap([](Edge e) { e.weight += 3U; return e.from != nullptr ? e.from->state * e.weight : 1U; }).sum());"]
        parameter = dice.choice(["Node* n", "Node& n", "auto* n"])
        arrow = "n." if "&" in parameter else "n->"
        if form < 3:
            ticks = dice.choice(["", "", "2, "])
            if ticks and dice.random() < 0.5:
                return [f"{over}.peach({ticks}[k]({parameter}, std::int64_t t) {{ {arrow}prepare(k + unsigned(t)); }});",
                        "all.peach([](Node* n) { n->commit(); });"]
            return [f"{over}.peach([k]({parameter}) {{ {arrow}prepare(k + {seed}); }});", "all.peach([](Node* n) { n->commit(); });"]
        if form == 3:
            return [f"std::printf(\"%u\\n\", {over}.pmap([k](const Node* n) {{ return n->value(k) + n->visits; }}).sum());"]
        if form == 4:
            return [f"{over}.with_index().peach([](Node* n, std::int64_t i) {{ n->next = n->value(unsigned(i)); n->tonext = n->to; }});",
                    "all.peach([](Node& n) { n.commit(); });"]
        if form == 5:
            reduced = f"{over}.preduce(nodes[0].get(), [](Node* a, Node* b) {{ return a->value(1U) < b->value(1U) ? b : a; }})"
            return [f"std::printf(\"%u\\n\", {reduced}[0]->number());"]
        if form == 6:
            return [f"std::printf(\"%u\\n\", {over}.pcombine({over}, [](const Node* a, const Node* b) {{ return a->state ^ b->value(3U); }}).sum());"]
        return [f"std::printf(\"%zu\\n\", {over}.pselect([k](const Node* n) {{ return n->value(k) % 2U == 0U; }}).size());"]

    def captures(self) -> list[str]:
        """Containers that sections capture, some of which the host changes before, or between two that are the same."""
        dice = self.dice
        _, over = self.over()
        changes = dice.sample(["weights[k % weights.size()] += k;", "far[k % far.size()] = some[k % some.size()];", "std::swap(far.front(), far.back());",
                               "rows[k % rows.size()].push_back(k);", "rows.back().assign(k % 5U + 1U, k);", "groups[k % groups.size()].push_back(some[k % some.size()]);",
                               "far.push_back(some.back());", "weights.push_back(k);"], dice.randint(0, 3))
        terms = dice.sample(["weights[n->id % weights.size()]", "far[(n->id + k) % far.size()]->state", "rows[n->id % rows.size()].back()",
                             "groups[n->id % groups.size()].back()->state", "unsigned(far.size() + rows.back().size())"], dice.randint(1, 3))
        use = " + ".join(terms)
        capture = dice.choice(["&", "=", "&, k"])
        sections = [f"{over}.peach([{capture}](Node* n) {{ n->next ^= {use}; n->tonext = n->to; }});"]
        if dice.random() < 0.6:
            sections.append(f"std::printf(\"%u\\n\", {over}.pmap([=](const Node* n) {{ return n->next ^ ({use}); }}).sum());")
        if dice.random() < 0.4:
            sections.append(f"{{ const auto axis = k % 2U == 0U ? &Node::state : &Node::id; std::printf(\"%u\\n\", {over}.pmap([=](const Node* n) "
                            "{ return n->*axis ^ n->pick(k); }).sum()); }")
        if dice.random() < 0.5:
            sections += ["all.peach([](Node* n) { n->commit(); });", *dice.sample(changes, min(1, len(changes))), *sections]
        return [*changes, *sections]

    def sequence(self, is_loop: bool) -> list[str]:
        """Sections over one array, one after the other; perhaps in turns, which they may capture."""
        dice = self.dice
        over = dice.choice(["all", "ikra::objects(nodes)", "ikra::array{nodes}", "ikra::array{some}", "ikra::array{backwards}"])
        turn, capture = ("t", dice.choice(["=", "k, t", "&"])) if is_loop else ("2U", dice.choice(["k", "="]))
        number = self.number()
        sections = [
            [f"{over}.peach([{capture}](Node* n) {{ n->prepare(k + {turn}); }});", f"{over}.peach([](Node* n) {{ n->commit(); }});"],
            [f"{over}.peach([{capture}](Node* n) {{ n->state = n->state * 3U ^ ({turn} + k); }});"],
            [f"{over}.peach({dice.choice(['', '2, '])}[](Node* n) {{ n->next ^= n->state + {number}; }});"],
            [f"{over}.peach([](Node& n) {{ n.commit(); }});"],
            [f"{over}.peach([](Node* n) {{ n->state += n->visits; }});"],
        ]
        statements = [s for group in dice.choices(sections, k=dice.randint(1, 3)) for s in group]
        if not is_loop:
            return statements
        turns = dice.choice(["2U", "20U", "k + 17U" if dice.random() < 0.2 else "k", "130U"])
        if dice.random() < 0.3:
            return [f"{{ unsigned t = {dice.choice(['0', '1U'])}; while (t < {turns}) {{", *statements, "++t;", "}", "k += t; }"]
        return [f"for (unsigned t = {dice.choice(['0', '1U'])}; t < {turns}; ++t) {{", *statements, "}"]

    def host(self) -> list[str]:
        dice = self.dice
        form = dice.randrange(4)
        if form == 0:
            return ["for (unsigned i = 0; i < nodes.size(); i += 3) nodes[i]->state += i;"]
        if form == 1:
            return ["nodes[k % nodes.size()]->fill(toss(k, 1U), nodes);"]
        if form == 2:
            return ["for (const auto& n : nodes) if (n->state % 2U == 0U) n->to = nodes.back().get();"]
        return ["for (unsigned i = 0; i < nodes.size(); ++i) if (i % 4U == k % 4U) nodes[i]->fill(toss(i, k), nodes);"]

    def come_and_go(self, concrete: list[int]) -> list[str]:
        """In a scope, the host makes objects to which no other leads, writes single members, and takes the new ones away."""
        dice = self.dice
        count = dice.choice([1, 1, 2, 40])
        read = [["std::printf(\"%u\\n\", scope.read(&Node::state).sum());"],
                ["scope.sync(&Node::state);", "std::printf(\"%u\\n\", nodes.back()->state ^ nodes.front()->state);"],
                ["nodes[k % nodes.size()]->state = k % 3U;", "scope.changed(nodes[k % nodes.size()].get(), &Node::state);"], []]
        lines = [f"for (unsigned i = 0; i < {count}U; ++i) {{",
                 f"  const auto made = std::make_shared<{self.classes[dice.choice(concrete)]['name']}>();",
                 "  made->id = 500U + i;", "  made->fill(toss(i, k + 7U), nodes);", "  made->tonext = made->to;", "  nodes.push_back(made);"]
        if dice.random() < 0.7:
            lines.append("  scope.add(made.get());")
        lines += ["}", *dice.choice(read), "ikra::array{nodes}.peach([k](Node* n) { n->prepare(k); });",
                  "ikra::array{nodes}.peach([](Node* n) { n->commit(); });", *dice.choice(read), *dice.choice(read)]
        if dice.random() < 0.6:
            lines += [f"for (unsigned i = 0; i < {dice.randint(1, count)}U; ++i) {{", "  scope.remove(nodes.back().get());", "  nodes.pop_back();", "}",
                      "ikra::array{nodes}.peach([k](Node* n) { n->next ^= n->value(k); });", *dice.choice(read)]
        return lines

    def text(self) -> str:
        dice = self.dice
        concrete = [k for k in range(len(self.classes)) if not self.classes[k]["abstract"]]
        lines = [f"namespace {self.name} {{", "class Node;", "struct Link { Node* to = nullptr; unsigned weight = 0; };",
                 "struct Edge { const Node* from = nullptr; const Node* to = nullptr; unsigned weight = 0; };"]
        if self.globals:
            lines += ["unsigned shifts[3] = {1, 2, 3};", "unsigned factor = 3;"]
        if self.has_state:
            lines += ["struct Held {", "  unsigned part = 1;", "  unsigned rest = 2;", "  std::string label;",
                      f"  unsigned mixed(unsigned x) const {{ return {self.combine(['x', 'part'])}; }}",
                      "  Held mixed_with(unsigned x) const { Held out = *this; out.part = mixed(x); return out; }", "};"]
        if self.has_leaves:
            lines += ["struct Leaf {", "  explicit Leaf(unsigned w) : weight(w) {}", "  virtual ~Leaf() = default;", "  unsigned weight;",
                      f"  virtual unsigned heavy(unsigned x) const {{ return {self.combine(['x', 'weight'])}; }}", "};",
                      "struct Twig : Leaf {", "  using Leaf::Leaf;", f"  unsigned heavy(unsigned x) const override {{ return {self.combine(['x', 'weight', 'bend'])}; }}",
                      "  unsigned bend = 3;", "};"]
        lines += ["struct Mark { const Node* at = nullptr; unsigned weight = 0; };",
                  "class Step {", "public:", "  explicit Step(const Node* at) : at_(at) {}", "  bool more() const { return at_ != nullptr && count_ < 5U; }",
                  "  Mark mark(unsigned seed) const;", "  void advance();", "private:", "  const Node* at_;", "  unsigned count_ = 0;", "};",
                  "Step advanced(Step step) { step.advance(); return step; }"]
        for k in range(len(self.classes)):
            text = self.class_text(k)
            if k == 0:
                text.insert(2, "  unsigned number() const { return id; }")
                text.insert(3, "  unsigned id = 0;")
            lines += text
            if k == 0:
                lines += ["Mark Step::mark(unsigned seed) const { return {at_, at_->value(seed) + count_}; }",
                          "void Step::advance() { at_ = at_->to; ++count_; }"]
        lines += ["void run(unsigned graph) {", "  std::vector<std::shared_ptr<Node>> nodes;",
                  f"  for (unsigned i = 0; i < {dice.choice([1, 7, 33, 70])}U + toss(graph, 3U) % {dice.choice([2, 30, 120])}U; ++i) {{",
                  f"    switch ({dice.choice(['i', 'i * 5U', 'toss(graph, i)', 'i / 9U'])} % {len(concrete)}U) {{"]
        for place, k in enumerate(concrete):
            label = f"case {place}:" if place else "default:"
            lines.append(f"    {label} nodes.push_back(std::make_shared<{self.classes[k]['name']}>()); break;")
        lines += ["    }", "    nodes.back()->id = i;", "  }",
                  "  for (unsigned i = 0; i < nodes.size(); ++i) { nodes[i]->fill(toss(i, graph), nodes); nodes[i]->tonext = nodes[i]->to; }",
                  "  std::vector<Node*> some, backwards;",
                  "  for (unsigned i = 0; i < nodes.size(); i += 2) some.push_back(nodes[i].get());",
                  "  for (std::size_t i = nodes.size(); i-- > 0;) backwards.push_back(nodes[i].get());",
                  "  const auto all = ikra::objects(nodes);",
                  "  const auto report = [&] { unsigned sum = 1; for (const auto& n : nodes) sum = sum * 17U + n->hash() + n->visits + (n->to != nullptr ? n->to->id : 99U); std::printf(\"%u\\n\", sum); };",
                  "  std::vector<unsigned> weights(5, graph);", "  std::vector<std::vector<unsigned>> rows(4, std::vector<unsigned>(2, graph + 1U));",
                  f"  std::vector<Node*> far; for (unsigned i = 0; i < {dice.choice([3, 80])}U; ++i) far.push_back(nodes[i * 7U % nodes.size()].get());",
                  "  std::vector<std::vector<Node*>> groups(6, some);",
                  "  ikra::array<Edge, 1> edges;", "  unsigned k = 1 + graph;", "  (void)k, (void)weights, (void)rows;"]
        for _ in range(dice.randint(1, 3)):
            scoped = dice.random() < 0.6
            if scoped:
                lines += ["  {", f"  ikra::resident scope{{{dice.choice(['all', 'nodes', 'nodes'])}}};"]
            for _ in range(dice.randint(1, 4)):
                if scoped and dice.random() < 0.2: # a scope within the scope
                    lines += ["  {", f"  ikra::resident inner{{{dice.choice(['some', 'nodes', 'backwards'])}}};", *["  " + s for s in self.action()], "  }"]
                lines += ["  " + s for s in self.action()]
                if dice.random() < 0.5:
                    changes = self.host() + (["factor += k; shifts[k % 3U] ^= k;"] if self.globals and dice.random() < 0.5 else [])
                    if scoped:
                        changes = ["scope.sync();", *changes, "scope.changed();"]
                    lines += ["  " + s for s in changes]
                if scoped and dice.random() < 0.4:
                    lines += ["  " + s for s in self.come_and_go(concrete)]
                lines.append("  ++k;")
            if scoped:
                lines.append("  }")
            lines.append("  report();")
        return "\n".join([*lines, "}", f"}} // namespace {self.name}", ""])


# A number that follows from two others and looks random.
TOSS = ["unsigned toss(unsigned a, unsigned b) {", "  unsigned x = (a + 1U) * 2654435761U ^ (b + 1U) * 2246822519U;",
        "  x = (x ^ x >> 15U) * 3266489917U;", "  x = (x ^ x >> 13U) * 668265263U;", "  return x ^ x >> 16U;", "}", ""]


def objects_text(programs: list[ObjectProgram], graphs: int) -> str:
    """One file that runs all programs, each on so many graphs."""
    lines = ["// Made by test/fuzz/run_objects.py.", "#include <ikra/ikra.hpp>", ""]
    lines += [f"#include <{name}>" for name in ("array", "cstdint", "cstdio", "memory", "optional", "string", "type_traits", "typeinfo",
                                                "utility", "vector")]
    lines += ["", "namespace {", "", *TOSS]
    lines += [program.text() for program in programs]
    lines += ["} // namespace", "", "int main() {"]
    for program in programs:
        lines.append(f'  for (unsigned graph = 0; graph < {graphs}U; ++graph) std::printf("%s %u\\n", "{program.name}", graph), {program.name}::run(graph);')
    return "\n".join([*lines, "}", ""])
