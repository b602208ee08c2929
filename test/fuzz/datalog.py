# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Datalog programs with records, ranges, functors, aggregates with witnesses, choice domains, subsumption and lattices;
and an evaluator of them that knows nothing of the project: it goes through all tuples, literal by literal.

A program is a list of relations in the order of evaluation, each with its rules; a rule may read its own relation. Numbers stay
small where a relation could grow. Literals are evaluated in the order in which they were drawn, and written in another one.
"""
import random
from dataclasses import dataclass, field


def wrapped(value):
    return (value + 2**31) % 2**32 - 2**31


BINARY = {
    "+": lambda a, b: wrapped(a + b), "-": lambda a, b: wrapped(a - b), "*": lambda a, b: wrapped(a * b),
    "band": lambda a, b: a & b, "bor": lambda a, b: a | b, "bxor": lambda a, b: a ^ b,
    "min": min, "max": max,
}
COMPARE = {
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}
FUNCTORS = {"twice": lambda a: wrapped(2 * a)}  # of the tests' shared library
AGGREGATES = {"count": len, "sum": lambda values: wrapped(sum(values)), "min": min, "max": max}
LATTICES = {"Most": ("max(_, _)", "min(_, _)", -1000, max), "Least": ("min(_, _)", "max(_, _)", 1000, min),
            "Any": ("_ bor _", "_ band _", 0, lambda a, b: a | b)}


@dataclass
class Relation:
    name: str
    types: str  # for each column, n: number, p: record of two numbers
    rules: list = field(default_factory=list)
    facts: list = field(default_factory=list)
    choice: tuple = ()     # of columns
    subsumes: str = ""     # how the last column of what is removed compares with that of what stays
    lattice: str = ""      # of the last column
    tuples: set = field(default_factory=set)


# Expressions: ("const", n), ("var", name), ("op", name, a, b), ("call", name, a), ("record", a, b).


def value_of(e, env):
    if e[0] == "const":
        return e[1]
    if e[0] == "var":
        return env[e[1]]
    if e[0] == "record":
        return (value_of(e[1], env), value_of(e[2], env))
    if e[0] == "call":
        return FUNCTORS[e[1]](value_of(e[2], env))
    return BINARY[e[1]](value_of(e[2], env), value_of(e[3], env))


def variables_of(e):
    return {e[1]} if e[0] == "var" else set().union(*(variables_of(part) for part in e if isinstance(part, tuple)))


def text_of(e):
    if e[0] in ("const", "var"):
        return str(e[1])
    if e[0] == "record":
        return f"[{text_of(e[1])}, {text_of(e[2])}]"
    if e[0] == "call":
        return f"@{e[1]}({text_of(e[2])})"
    if e[1] in ("min", "max"):
        return f"{e[1]}({text_of(e[2])}, {text_of(e[3])})"
    return f"({text_of(e[2])} {e[1]} {text_of(e[3])})"


def matched(pattern, value, env):
    """The environment in which an argument, which may bind variables, is the value; None if there is none."""
    if pattern == "_":
        return env
    if pattern[0] == "var" and pattern[1] not in env:
        return {**env, pattern[1]: value}
    if pattern[0] == "record":
        for part, one in zip(pattern[1:], value):
            env = matched(part, one, env)
            if env is None:
                return None
        return env
    return env if value_of(pattern, env) == value else None


def solutions(body, env, plain=False):
    """All environments that extend env and fulfil the literals. plain: in an aggregate, which reads lattices as other columns."""
    if not body:
        yield env
        return
    first, rest = body[0], body[1:]
    for found in solutions_of(first, env, plain):
        yield from solutions(rest, found, plain)


def solutions_of(literal, env, plain):
    kind = literal[0]
    if kind in ("atom", "not"):
        found_any = False
        for row in list(literal[1].tuples):
            if kind == "atom" and not plain and literal[1].lattice and row[-1] == LATTICES[literal[1].lattice][2]:
                continue
            found = env
            for pattern, value in zip(literal[2], row):
                found = matched(pattern, value, found)
                if found is None:
                    break
            if found is not None:
                found_any = True
                if kind == "not":
                    break
                yield found
        if kind == "not" and not found_any:
            yield env
    elif kind == "test":
        if COMPARE[literal[1]](value_of(literal[2], env), value_of(literal[3], env)):
            yield env
    elif kind == "either":
        if any(True for part in literal[1] for _ in solutions_of(part, env, plain)):
            yield env
    elif kind == "bind":
        found = matched(literal[1], value_of(literal[2], env), env)
        if found is not None:
            yield found
    elif kind == "range":
        low, high = value_of(literal[2], env), value_of(literal[3], env)
        for value in range(low, high, literal[4] or (1 if low <= high else -1)):
            yield {**env, literal[1]: value}
    else:  # "aggregate", variable, function, target, body, witnesses
        _, variable, function, target, body, witnesses = literal
        inner = list(solutions(body, env, True))
        if not inner and function in ("min", "max"):
            return
        result = AGGREGATES[function]([0 if target is None else value_of(target, found) for found in inner])
        if not witnesses:
            yield {**env, variable: result}
            return
        seen = set()
        for found in inner:
            if value_of(target, found) == result and (own := tuple(found[w] for w in witnesses)) not in seen:
                seen.add(own)
                yield {**env, variable: result, **dict(zip(witnesses, own))}


def bits(row):
    return [part % 2**32 for value in row for part in (value if isinstance(value, tuple) else (value,))]


def taken(relation, fresh):
    """Of new tuples those that a choice domain lets in."""
    keys = {tuple(row[c] for c in relation.choice) for row in relation.tuples}
    kept = set()
    for row in sorted(fresh, key=bits):
        key = tuple(row[c] for c in relation.choice)
        if key not in keys:
            keys.add(key)
            kept.add(row)
    return kept


def combined(relation, rows):
    best = {}
    for row in rows:
        best[row[:-1]] = LATTICES[relation.lattice][3](best[row[:-1]], row[-1]) if row[:-1] in best else row[-1]
    return {(*key, value) for key, value in best.items()}


def evaluate(relations):
    for relation in relations:
        def step():
            made = set()
            for head, body in relation.rules:
                for env in solutions(body, {}):
                    made.add(tuple(value_of(e, env) for e in head))
            return made

        fresh = set(relation.facts)
        own = [rule for rule in relation.rules if not any(l[0] == "atom" and l[1] is relation for l in rule[1])]
        every, relation.rules = relation.rules, own
        fresh |= step()
        relation.rules = every
        while True:
            before = set(relation.tuples)
            fresh -= relation.tuples
            if relation.choice:
                fresh = taken(relation, fresh)
            now = relation.tuples | fresh
            if relation.lattice:
                now = combined(relation, now)
            if relation.subsumes:
                worse = COMPARE[relation.subsumes]
                now = {a for a in now if not any(a[:-1] == b[:-1] and worse(a[-1], b[-1]) for b in now)}
            relation.tuples = now
            if now == before:
                break
            fresh = step()


class Writer:
    """Draws one program."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.relations = []
        self.names = 0

    def new_name(self):
        self.names += 1
        return f"v{self.names}"

    def number(self, known, depth=2):
        """An expression of the number variables that are known."""
        kind = self.draw.random()
        variables = [v for v, of in known.items() if of in "nl"]
        if depth == 0 or kind < 0.5:
            return ("var", self.draw.choice(variables)) if variables and kind < 0.45 else ("const", self.draw.randrange(-1, 6))
        if kind < 0.6:
            return ("call", "twice", self.number(known, depth - 1))
        return ("op", self.draw.choice(list(BINARY)), self.number(known, depth - 1), self.number(known, depth - 1))

    def small(self, known, most=3):
        return ("op", "band", self.number(known, 1), ("const", most))

    def argument(self, of, known):
        """What stands in an atom: a variable, new or not, a constant or a pattern."""
        kind = self.draw.random()
        same = [v for v, there in known.items() if there == of]
        if same and kind < 0.45:
            return ("var", self.draw.choice(same))
        if kind < 0.55:
            return "_"
        if kind < 0.65:
            return ("const", self.draw.randrange(5)) if of == "n" else \
                ("record", self.argument("n", known), self.argument("n", known))
        name = self.new_name()
        known[name] = of
        return ("var", name)

    def arguments(self, relation, known, argument):
        """A lattice's column gets a variable that nothing else gives a value (type l), since it means something else otherwise."""
        made = [argument(of) for of in (relation.types[:-1] if relation.lattice else relation.types)]
        if relation.lattice:
            name = self.new_name()
            known[name] = "l"
            made.append(("var", name))
        return made

    def atom(self, relation, known):
        return ("atom", relation, self.arguments(relation, known, lambda of: self.argument(of, known)))

    def test(self, known):
        operator, left, right = self.draw.choice(list(COMPARE)), self.number(known, 1), self.number(known, 1)
        # An equation would give a lattice's variable a value of its own.
        gives = any(side[0] == "var" and known[side[1]] == "l" for side in (left, right))
        return ("test", "<=" if operator == "=" and gives else operator, left, right)

    def aggregate(self, known):
        inner = dict(known)
        body = []
        for _ in range(self.draw.choice([1, 1, 2])):
            relation = self.draw.choice(self.relations)
            # No `_`: what differs there alone would have to be counted once.
            body.append(("atom", relation, self.arguments(relation, inner, lambda of: ("var", self.known_or_new(of, inner)))))
        own = {v: of for v, of in inner.items() if v not in known}
        numbers = {v: of for v, of in own.items() if of in "nl"}
        if self.draw.random() < 0.3:
            body.append(("test", self.draw.choice(["<", "!=", ">="]), self.number(inner, 1), self.number(inner, 1)))
        function = self.draw.choice(list(AGGREGATES)) if numbers else "count"
        # A target's variables are the aggregate's own, whatever has their names outside.
        target = None if function == "count" else self.number(numbers, 1)
        name = self.new_name()
        witnesses = []
        if function in ("min", "max") and own and self.draw.random() < 0.5:
            others = sorted(v for v in own if v not in variables_of(target))
            witnesses = self.draw.sample(others, min(len(others), self.draw.choice([1, 1, 2])))
            for w in witnesses:
                known[w] = own[w]
        known[name] = "n"
        return ("aggregate", name, function, target, body, witnesses)

    def known_or_new(self, of, known):
        same = [v for v, there in known.items() if there == of]
        if same and self.draw.random() < 0.4:
            return self.draw.choice(same)
        name = self.new_name()
        known[name] = of
        return name

    def body(self, relation, recursive):
        known, literals = {}, []
        atoms = [relation] if recursive else []
        large = False
        for _ in range(self.draw.choice([1, 1, 2, 2])):
            of = self.draw.choice(self.relations)
            if len(of.tuples) > 60 and large:
                continue
            large |= len(of.tuples) > 60
            atoms.append(of)
        self.draw.shuffle(atoms)
        for of in atoms:
            literals.append(self.atom(of, known))
        for _ in range(self.draw.choice([0, 1, 1, 2])):
            kind = self.draw.random()
            if kind < 0.25:
                literals.append(("either", [self.test(known), self.test(known)]) if self.draw.random() < 0.3 else self.test(known))
            elif kind < 0.4:
                of = self.draw.choice([r for r in self.relations if not r.lattice])
                arguments = []
                for t in of.types:
                    same = [v for v, there in known.items() if there == t]
                    arguments.append(("var", self.draw.choice(same)) if same and self.draw.random() < 0.7 else "_")
                literals.append(("not", of, arguments))
            elif kind < 0.6:
                name, step = self.new_name(), self.draw.choice([None, None, 1, 2, -1, -2])
                bounds = [self.small(known), self.small(known, 7)]
                literals.append(("range", name, *(bounds if (step or 1) > 0 else reversed(bounds)), step))
                known[name] = "n"
            elif kind < 0.75:
                records = [v for v, of in known.items() if of == "p"]
                if records and self.draw.random() < 0.6:
                    record = ("var", self.draw.choice(records))
                    parts = [self.argument("n", known) for _ in range(2)]
                    literals.append(("bind", ("record", *parts), record))
                else:
                    name = self.new_name()
                    literals.append(("bind", ("var", name), ("record", self.small(known), self.small(known))))
                    known[name] = "p"
            elif not any(literal[0] == "aggregate" and literal[5] for literal in literals):  # which may read no witness
                literals.append(self.aggregate(known))
        return literals, known

    def head(self, relation, known):
        made = []
        for place, of in enumerate(relation.types):
            same = [v for v, there in known.items() if there == of]
            if of == "p":
                made.append(("var", self.draw.choice(same)) if same and self.draw.random() < 0.7 else
                            ("record", self.small(known), self.small(known)))
            elif place == len(relation.types) - 1 and (relation.lattice or relation.subsumes):
                made.append(("op", "band", self.number(known, 1), ("const", 7)))
            else:
                made.append(self.small(known, 7) if not same or self.draw.random() < 0.4 else
                            ("op", "band", ("var", self.draw.choice(same)), ("const", 7)))
        return made

    def constant(self, of):
        return self.draw.randrange(6) if of == "n" else (self.draw.randrange(4), self.draw.randrange(4))

    def program(self):
        for i in range(3):
            types = self.draw.choice(["n", "nn", "nn", "np", "nnn"])
            made = Relation(f"r{i}", types)
            count = self.draw.randrange(1, 16)
            made.facts = sorted({tuple(self.constant(of) for of in types) for _ in range(count)})
            self.relations.append(made)
        if self.draw.random() < 0.4:  # enough rows for what pays with many
            made = Relation("r3", "nn")
            made.facts = [(i % 6, i) for i in range(self.draw.choice([80, 130]))]
            self.relations.append(made)
        for made in self.relations:
            made.tuples = set(made.facts)
        for _ in range(self.draw.choice([3, 4, 5])):
            made = Relation(f"r{len(self.relations)}", self.draw.choice(["n", "nn", "nn", "np", "pn"]))
            kind = self.draw.random()
            if kind < 0.2 and made.types == "nn":  # records have no order of their own
                made.choice = self.draw.choice([(0,), (1,)])
            elif kind < 0.45 and made.types in ("nn", "pn"):
                made.subsumes = self.draw.choice(["<", ">"])
            elif kind < 0.7 and made.types in ("nn", "pn"):
                made.lattice = self.draw.choice(list(LATTICES))
            special = made.subsumes or made.lattice
            for number in range(self.draw.choice([1, 2, 2])):
                recursive = number > 0 and self.draw.random() < 0.7
                made.rules.append(self.monotone_rule(made) if recursive and special else self.rule(made, recursive))
            if self.draw.random() < 0.3:
                made.facts = sorted({tuple(self.constant(of) for of in made.types) for _ in range(self.draw.randrange(1, 4))})
            evaluate([made])
            self.relations.append(made)
        return self.relations

    def rule(self, relation, recursive):
        literals, known = self.body(relation, recursive)
        return self.head(relation, known), literals

    def monotone_rule(self, relation):
        """Values may be moved on, and change only in one direction, so that the fixpoint is one."""
        key, value = self.new_name(), self.new_name()
        known = {key: relation.types[0], value: "l" if relation.lattice else "n"}
        literals = [("atom", relation, [("var", key), ("var", value)])]
        over = self.draw.choice(self.relations)
        literals.append(("atom", over, self.arguments(
            over, known, lambda of: ("var", self.known_or_new(of, known) if of == relation.types[0] else self.new_name()))))
        same = [v for v, of in known.items() if of == relation.types[0] and v != value]
        head = ("var", self.draw.choice(same)) if relation.types[0] == "p" else \
            ("op", "band", ("var", self.draw.choice(same)), ("const", 7))
        more = self.draw.choice([("var", value), {
            "Most": ("op", "min", ("op", "+", ("var", value), ("const", 1)), ("const", 9)),
            "Least": ("op", "max", ("op", "-", ("var", value), ("const", 1)), ("const", -3)),
            "Any": ("op", "bor", ("var", value), ("const", 8)),
            "": ("var", value),
        }[relation.lattice]])
        return [head, more], literals


def literal_text(literal, draw):
    kind = literal[0]
    if kind in ("atom", "not"):
        arguments = ", ".join("_" if a == "_" else pattern_text(a) for a in literal[2])
        return f"{'!' if kind == 'not' else ''}{literal[1].name}({arguments})"
    if kind == "test":
        return f"{text_of(literal[2])} {literal[1]} {text_of(literal[3])}"
    if kind == "either":
        return "(" + " ; ".join(literal_text(part, draw) for part in literal[1]) + ")"
    if kind == "bind":
        sides = [pattern_text(literal[1]), text_of(literal[2])]
        draw.shuffle(sides)
        return " = ".join(sides)
    if kind == "range":
        step = "" if literal[4] is None else f", {literal[4]}"
        return f"{literal[1]} = range({text_of(literal[2])}, {text_of(literal[3])}{step})"
    _, variable, function, target, body, _ = literal
    value = "" if target is None else " " + text_of(target)
    return f"{variable} = {function}{value} : {{ {body_text(body, draw)} }}"


def pattern_text(pattern):
    if pattern == "_":
        return "_"
    if pattern[0] == "record":
        return "[" + ", ".join(pattern_text(part) for part in pattern[1:]) + "]"
    return text_of(pattern)


def body_text(body, draw):
    parts = [literal_text(literal, draw) for literal in body]
    draw.shuffle(parts)
    return ", ".join(parts)


def program_text(relations, seed):
    draw = random.Random(seed + 1)
    lines = [".type Pair = [a: number, b: number]", ".functor twice(x: number): number"]
    for name, (lub, glb, bottom, _) in LATTICES.items():
        lines += [f".type {name} <: number", f".lattice {name}<> {{ Bottom -> {bottom}, Lub -> {lub}, Glb -> {glb} }}"]
    for r in relations:
        types = [{"n": "number", "p": "Pair"}[of] for of in r.types]
        if r.lattice:
            types[-1] = f"{r.lattice}<>"
        columns = ", ".join(f"c{i}: {of}" for i, of in enumerate(types))
        extra = " choice-domain (" + ", ".join(f"c{c}" for c in r.choice) + ")" if r.choice else ""
        lines.append(f".decl {r.name}({columns}){extra}")
        lines.append(f".output {r.name}")
        rules = [f"{r.name}({', '.join(row_value(v) for v in row)})." for row in r.facts]
        for head, body in r.rules:
            rules.append(f"{r.name}({', '.join(text_of(e) for e in head)}) :- {body_text(body, draw)}.")
        if r.subsumes:
            key = ", ".join(f"k{i}" for i in range(len(r.types) - 1))
            rules.append(f"{r.name}({key}, x) <= {r.name}({key}, y) :- x {r.subsumes} y.")
        draw.shuffle(rules)
        lines += rules
    return "\n".join(lines) + "\n"


def row_value(value):
    return f"[{value[0]}, {value[1]}]" if isinstance(value, tuple) else str(value)


def drawn(seed):
    """A program's text, and for each relation its rows as they are to be written."""
    relations = Writer(seed).program()
    return program_text(relations, seed), {r.name: sorted("\t".join(row_value(v) for v in row) for row in r.tuples) for r in relations}
