# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts for the programs of programs/, drawn by a fixed seed: the same ones each time.

FACTS[NAME](scale) gives, for each input relation, its rows. Scale 1 is what is measured; tests take less. The programs are
modelled after what public benchmark collections have (analyses of object-oriented code, of flow graphs and of loans, networks,
graphs); no text, fact or size is theirs.
"""
import random


def part(scale, count):
    return max(4, int(count * scale))


def length(scale, count):
    """Blocks of a function: fewer in tests, where they are what takes time."""
    return max(8, int(count * min(1, 50 * scale)))


def independent(scale):
    return {"b": ((i,) for i in range(part(scale, 100_000))), "c": ((i,) for i in range(part(scale, 1000)))}


def points_to(scale, fields=300):
    draw = random.Random(1)
    methods, variables, heaps = part(scale, 2000), part(scale, 20000), part(scale, 5000)
    v = lambda: f"<Class{draw.randrange(methods) % 300}: method>/v{draw.randrange(variables)}"
    names = [v() for _ in range(variables)]
    one = lambda: draw.choice(names)
    heap = lambda: f"new Class{draw.randrange(heaps)}"
    field = lambda: f"field{draw.randrange(fields)}"
    return {
        "alloc": [(one(), heap(), f"m{draw.randrange(methods)}") for _ in range(part(scale, 9000))],
        "move": [(one(), one()) for _ in range(part(scale, 17_000))],
        "load": [(one(), one(), field()) for _ in range(part(scale, 9000))],
        "store": [(one(), field(), one()) for _ in range(part(scale, 9000))],
        "call": [(f"m{draw.randrange(methods)}", f"m{draw.randrange(methods)}") for _ in range(part(scale, 5000))],
        "entry": [("m0",), ("m1",)],
        "in": [(name, f"m{draw.randrange(methods)}") for name in names],
    }


def cspa(scale):
    draw = random.Random(2)
    nodes = part(scale, 100) * 140

    def edges(count):  # within files of 140 nodes
        for _ in range(count):
            x = draw.randrange(nodes)
            yield x, x // 140 * 140 + draw.randrange(140)

    return {"assign": list(edges(part(scale, 8_000))), "dereference": list(edges(part(scale, 12_000)))}


def list_crdt(scale):
    draw = random.Random(3)
    inserted, here = [(1, 1, 0, 0)], 1  # (counter, node, parent's counter, parent's node)
    for counter in range(2, part(scale, 181_000)):
        if draw.random() < 0.04:
            here = draw.randrange(len(inserted)) + 1
        inserted.append((counter, 1 + counter % 2, *inserted[here - 1][:2]))
        here = len(inserted)
    taken = draw.sample(range(len(inserted)), min(len(inserted), part(scale, 80_000)))
    return {"insert": inserted, "remove": [(200_000 + i, 1, *inserted[k][:2]) for i, k in enumerate(taken)]}


def andersen(scale):
    """Methods with variables of their own; half of the classes implement each signature. Calls stay within a fortieth of the library:
    else either nearly nothing is reached, or all of it, and then everything points to everything."""
    draw = random.Random(4)
    methods, classes, signatures, fields = part(scale, 1000), part(scale, 300), part(scale, 300), part(scale, 300)
    facts = {name: [] for name in ("new", "class_of", "move", "load", "store", "call", "argument", "returned", "parameter", "this",
                                   "result", "implements")}
    near = lambda count, of: (draw.randrange(count) // 40 * 40 + of % 40) % count
    name = lambda m: f"<library.part{m % 40}.Class{m % classes}: void method{m}()>"
    variable = lambda m, i: f"{name(m)}/local{i}"
    for m in range(methods):
        here = lambda: variable(m, draw.randrange(12))
        facts["this"].append((name(m), variable(m, 0)))
        facts["result"].append((name(m), here()))
        for n in range(2):
            facts["parameter"].append((name(m), n, variable(m, n + 1)))
        for i in range(3):
            site = f"{name(m)}/new{i}"
            facts["new"].append((here(), site, name(m)))
            facts["class_of"].append((site, f"Class{near(classes, m)}"))
        for _ in range(7):
            facts["move"].append((here(), here()))
        for _ in range(2):
            facts["load"].append((here(), here(), f"field{draw.randrange(fields)}"))
            facts["store"].append((here(), f"field{draw.randrange(fields)}", here()))
        for i in range(3):
            site = f"{name(m)}/call{i}"
            facts["call"].append((site, here(), f"signature{draw.randrange(signatures)}", name(m)))
            facts["returned"].append((site, here()))
            facts["argument"] += [(site, n, here()) for n in range(2)]
    for s in range(signatures):
        for c in draw.sample(range(classes), max(1, classes // 2)):
            facts["implements"].append((f"Class{c}", f"signature{s}", name(near(methods, c))))
    facts["entry"] = [(name(m),) for m in range(part(scale, 150))]
    return facts


def call_graph(scale):
    draw = random.Random(5)
    classes, signatures = part(scale, 2500), part(scale, 500)
    extends = [(f"package.Class{c}", f"package.Class{draw.randrange(max(0, c // 2 - 3), c)}") for c in range(1, classes)]
    declares, makes, virtual, static = [], [], [], []
    for c in range(classes):
        for s in draw.sample(range(signatures), min(signatures, 8)):
            declares.append((f"package.Class{c}", f"void call{s}(int)", f"package.Class{c}.call{s}"))
    method = lambda: draw.choice(declares)[2]
    for _, _, m in declares:
        if draw.random() < 0.4:
            makes.append((m, f"package.Class{draw.randrange(classes)}"))
        if draw.random() < 0.8:
            d = declares[int(len(declares) * draw.random() ** 3)]
            virtual.append((m, d[0], d[1]))
        if draw.random() < 0.15:
            static.append((m, method()))
    return {"extends": extends, "declares": declares, "makes": makes, "virtual_call": virtual, "static_call": static,
            "main": [(method(),) for _ in range(part(scale, 300))]}


def flow_graphs(draw, functions, blocks):
    """Functions whose blocks are numbered on; mostly forwards, with branches and some loops. Gives their first blocks and edges."""
    firsts, edges = [], []
    for f in range(functions):
        base = f * blocks
        firsts.append((f, base))
        for i in range(blocks - 1):
            edges.append((base + i, base + i + 1))
            if draw.random() < 0.3:
                edges.append((base + i, base + draw.randrange(i, min(blocks, i + 12))))
            if draw.random() < 0.1:
                edges.append((base + i, base + draw.randrange(max(0, i - 15), i + 1)))
    return firsts, edges


def dominators(scale):
    firsts, edges = flow_graphs(random.Random(6), part(scale, 300), length(scale, 90))
    return {"start": firsts, "next": edges}


def reaching_definitions(scale):
    draw = random.Random(7)
    functions, blocks = part(scale, 40), length(scale, 120)
    firsts, edges = flow_graphs(draw, functions, blocks)
    variable = lambda n: (n, f"function{n // blocks}::variable{draw.randrange(25)}")
    places = functions * blocks
    return {"first": [(n,) for _, n in firsts], "next": edges,
            "defines": [variable(n) for n in range(places) if draw.random() < 0.6],
            "uses": [variable(n) for n in range(places) for _ in range(2)]}


def liveness(scale):
    draw = random.Random(8)
    functions, blocks = part(scale, 200), length(scale, 200)
    _, edges = flow_graphs(draw, functions, blocks)
    variable = lambda n: (n, n // blocks * 100 + draw.randrange(80))
    places = functions * blocks
    return {"next": edges, "defines": [variable(n) for n in range(places) if draw.random() < 0.8],
            "uses": [variable(n) for n in range(places) for _ in range(2)]}


def constants(scale):
    draw = random.Random(9)
    variables, places = part(scale, 120_000), part(scale, 40_000)
    near = lambda v: draw.randrange(max(0, v - 400), v)  # the order of assignments
    facts = {"literal": [], "copy": [], "add": [], "unknown": [(v,) for v in draw.sample(range(variables), variables // 200 + 1)]}
    for v in range(variables):
        kind = draw.random()
        if v < 50 or kind < 0.3:
            facts["literal"].append((v, draw.randrange(4), v))
        elif kind < 0.75:
            facts["copy"] += [(v, near(v)) for _ in range(1 if draw.random() < 0.8 else 2)]
        else:
            facts["add"].append((v, near(v), near(v)))
    facts["go"] = [(n, n + 1) for n in range(places - 1) if draw.random() < 0.8]
    left = set(range(places - 60)) - {n for n, _ in facts["go"]}
    facts["branch"] = [(n, draw.randrange(variables), n + 1, n + draw.randrange(2, 60)) for n in sorted(left)]
    return {**facts, "first": [(0,)]}


def network(scale):
    draw = random.Random(10)
    routers, hosts = 30, part(scale, 400)
    address = lambda r, i: (10 << 24) + (r << 16) + i
    facts = {"host": [], "at": [], "service": [], "permit": [], "deny": [], "route": []}
    ports = [22, 80, 443, 3306, 5432, 8080]
    for h in range(hosts):
        r = h % routers
        facts["host"].append((f"host{h}.example", address(r, h // routers + 1)))
        facts["at"].append((f"host{h}.example", f"router{r}"))
        for port in draw.sample(ports, 2):
            facts["service"].append((f"host{h}.example", port, f"program{draw.randrange(200)}"))
    for r in range(routers):
        for q in range(routers):
            if q != r:  # a tree, as a heap is one
                below = q
                while below > r:
                    up, below = below, (below - 1) // 2
                to = up if below == r and q > r else (r - 1) // 2
                facts["route"].append((f"router{r}", address(q, 0), 0xFFFF0000, f"router{to}"))
        for port in ports:
            facts["permit"].append((f"router{r}", 1, address(0, 0), address(routers, 0), port))
            for k in range(3):
                low = address(draw.randrange(routers), draw.randrange(20))
                facts["deny"].append((f"router{r}", 2 + k, low, low + draw.randrange(30), port))
    return {**facts, "flaw": [(f"program{p}", draw.choice(["root", "user"])) for p in range(0, 200, 3)], "outside": [("host0.example",)]}


def kinds(scale):
    draw = random.Random(11)
    things = part(scale, 20000)
    names = [f"kind{i}" for i in range(30)]
    near = lambda x: (x + draw.randrange(1, 60)) % things
    facts = {"fact": []}
    for k in names:
        for _ in range(part(scale, 1200)):
            x = draw.randrange(things)
            facts["fact"].append((k, x, near(x)))
    facts["transitive"] = [(k,) for k in names[:3]]
    facts["fact"] += [(k, x, x + draw.randrange(1, 3)) for k in names[:3] for x in range(things - 3) if x % 25 < 22]
    facts["symmetric"] = [(k,) for k in names[5:8]]
    facts["inverse"] = [(names[8 + i], names[12 + i]) for i in range(4)]
    facts["chain"] = [(names[16], names[5], names[17]), (names[18], names[0], names[19]), (names[20], names[8], names[21])]
    facts["above"] = [(names[22], names[16]), (names[23], names[0]), (names[24], names[23]), (names[22], names[25])]
    return facts


def borrow_check(scale):
    draw = random.Random(12)
    functions, blocks = part(scale, 60), length(scale, 150)
    _, edges = flow_graphs(draw, functions, blocks)
    facts = {name: [] for name in ("issued", "outlives", "killed", "invalidated", "used", "assigned", "has_origin")}
    origins = 30
    for f in range(functions):
        for i in range(origins):
            facts["has_origin"].append((f * origins + i, f * origins + i))
        origin = lambda: f * origins + draw.randrange(origins)
        for p in range(f * blocks, (f + 1) * blocks):
            if draw.random() < 0.15:
                facts["issued"].append((origin(), p, p))
            facts["outlives"] += [(origin(), origin(), p) for _ in range(2) if draw.random() < 0.35]
            facts["used"].append((origin(), p))
            if draw.random() < 0.3:
                facts["assigned"].append((origin(), p))
            loan = lambda: draw.randrange(f * blocks, p + 1)
            if draw.random() < 0.1:
                facts["killed"].append((loan(), p))
            facts["invalidated"].append((loan(), p))
    return {**facts, "next": edges}


def shortest_paths(scale):
    draw = random.Random(13)
    side = max(4, int(90 * scale ** 0.5))
    roads = []
    for x in range(side):
        for y in range(side):
            for to in ((x + 1, y), (x, y + 1)):
                if max(to) < side and draw.random() < 0.93:
                    length = draw.randrange(1, 20)
                    roads += [(x * side + y, to[0] * side + to[1], length), (to[0] * side + to[1], x * side + y, length)]
    return {"road": roads, "source": [(draw.randrange(side * side),) for _ in range(4)]}


def unification(scale):
    """Functions of sixty expressions each, written so that most types agree."""
    draw = random.Random(14)
    facts = {name: [] for name in ("number_at", "text_at", "same", "apply", "function", "pair", "first_of")}
    for f in range(part(scale, 1500)):
        base = f * 60
        near = lambda e: draw.randrange(max(base, e - 25), e)
        for e in range(base, base + 60):
            kind = draw.random()
            if e < base + 4 or kind < 0.3:
                if draw.random() < 0.5:
                    facts["number_at" if draw.random() < 0.97 else "text_at"].append((e,))
            elif kind < 0.62:
                facts["same"].append((e, near(e)))
            elif kind < 0.74:
                facts["function"].append((e, near(e), near(e)))
            elif kind < 0.86:
                facts["apply"].append((e, near(e), near(e)))
            elif kind < 0.94:
                facts["pair"].append((e, near(e), near(e)))
            else:
                facts["first_of"].append((e, near(e)))
    return facts


def taint(scale):
    draw = random.Random(15)
    functions = part(scale, 5000)
    facts = {name: [] for name in ("flow", "parameter", "result", "call", "argument", "receives", "sanitizer", "source", "sink")}
    kinds_of = ["network", "file", "environment", "user"]
    for f in range(functions):
        name = f"application.module{f % 50}.function{f}"
        variable = lambda: f"{name}#{draw.randrange(15)}"
        for n in range(3):
            facts["parameter"].append((name, n, f"{name}#{n}"))
        facts["result"].append((name, f"{name}#14"))
        facts["flow"] += [(name, variable(), variable()) for _ in range(14)]
        for i in range(4):
            site = f"{name}:{i}"
            facts["call"].append((site, name, f"application.module{(g := draw.randrange(functions)) % 50}.function{g}"))
            facts["argument"] += [(site, n, variable()) for n in range(3)]
            facts["receives"].append((site, variable()))
        if draw.random() < 0.05:
            facts["sanitizer"].append((name,))
        if draw.random() < 0.03:
            facts["source"].append((variable(), draw.choice(kinds_of)))
        if draw.random() < 0.03:
            facts["sink"].append((name, draw.choice(["query", "command", "page"])))
    return {**facts, "bad": [("network", "query"), ("network", "command"), ("user", "page"), ("user", "query"), ("file", "command")]}


def queens(scale):
    return {"side": [(6 if scale >= 1 else 4,)]}


FACTS = {made.__name__: made for made in (independent, points_to, cspa, list_crdt, andersen, call_graph, dominators, reaching_definitions,
                                          liveness, constants, network, kinds, borrow_check, shortest_paths, unification, taint, queens)}
