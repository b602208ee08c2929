// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells of a ring, of several classes. Each file has sections of its own over them, uses other
// members, and has seen other classes.
#pragma once

#include <ikra/ikra.hpp>

#include <cstdint>
#include <memory>
#include <vector>

class Cell {
  IKRA_OBJECT

public:
  virtual ~Cell() = default;
  virtual int kind() const { return 1; }

  Cell* left = nullptr;
  Cell* right = nullptr;
  Cell* leader = nullptr;
  float a = 0, b = 0, x = 0, y = 0;
  int seen = 0, moved = 0;
  std::vector<float> past{0, 0};
};

class Source final : public Cell {
  IKRA_OBJECT

public:
  explicit Source(float strength) : strength(strength) {}
  int kind() const override { return 2; }
  float strength;
};

class Sink final : public Cell {
  IKRA_OBJECT

public:
  int kind() const override { return 3; }
  double swallowed = 0;
};

using Cells = std::vector<Cell*>;
/// The other file's sections.
void move(const ikra::array<Cell*>& cells, float factor);
void follow(const ikra::array<Cell*>& cells);
int kinds_of_leaders(const ikra::array<Cell*>& cells);
void mark(const ikra::array<Cell*>& cells, Cell* leader);
/// A cell whose class only that file knows.
std::unique_ptr<Cell> made_elsewhere();
