// Classes whose objects cannot be laid out in columns. classes-accepted.cpp is the counterpart.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

struct Opaque;
struct Root {
  int value = 0;
  virtual ~Root() = default;
};
struct Shared : virtual Root {};
struct Plain {
  int value = 0;
};
struct Derived : Plain {
  int more = 0;
};
struct Holder {
  Opaque* inner = nullptr;
};
class Outer {
  struct Inner {
    int value = 0;
  };

public:
  static void run(std::vector<Inner>& inner) {
    ikra::objects(inner).peach([](Inner* i) { i->value = 1; });
  }
  static inline std::vector<Inner> store;
};

void sections(std::vector<Shared>& shared, ikra::array<Plain*> plain, ikra::array<Derived*> derived,
              ikra::array<Holder*> holders) {
  struct Local {
    int value = 0;
  };
  std::vector<Local> locals(2);
  ikra::objects(shared).peach([](Shared* s) { s->value = 1; });
  ikra::objects(locals).peach([](Local* l) { l->value = 1; });
  plain.peach([](Plain* p) { p->value = 1; });
  derived.peach([](Derived* d) { d->value = d->more; });
  holders.pmap([](Holder* h) { return h->inner != nullptr; });
  Outer::run(Outer::store);
}
