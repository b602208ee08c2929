// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the second of two stencils stands that share a kernel (launch_stencil_pair.hpp): at a place
// of an array whose elements, the first one's results, a block of threads keeps in shared memory. A
// block goes through an array along one dimension and keeps the last few *planes* in a ring; a
// plane has *rows* and *columns*, and a column V elements that lie beside each other.
#pragma once

#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/stencil_accessor.hpp>
#include <ikra/generated/launch/window.hpp>

#include <cstddef>
#include <cstdint>

namespace ikra::rt {

/// How a block's part of an array lies in shared memory, and how it is shared out to threads. In
/// each dimension but those of planes, rows and columns, a block stays at one place.
/// \tparam First, Second the reaches of both stencils
/// \tparam Beside how many elements a thread has beside each other, where nothing reaches along the
/// last dimension; 1 elsewhere
/// \tparam Wraps whether the second stencil's neighbours outside are those of the other side. A
/// tile then has places in front of the array and after it: what the first one gives for the other
/// side
template <class First, class Second, unsigned Beside, bool Wraps> struct tile {
  using first = First;
  using second = Second;
  static constexpr int rank = First::rank;
  static_assert(rank >= 2 && Second::rank == rank);
  static constexpr unsigned beside = Beside;

  static constexpr bool reaches(int d) {
    return First::least()[d] != 0 || First::most()[d] != 0 || Second::least()[d] != 0 ||
           Second::most()[d] != 0;
  }

  /// The dimension of planes: the outermost along which a stencil reaches, but the last.
  static constexpr int along = [] {
    for (int d = 0; d < rank - 1; ++d)
      if (reaches(d))
        return d;
    return 0;
  }();
  /// Columns are the last dimension; or it and those before it, one after the other, where nothing
  /// reaches along any of these.
  static constexpr int columns_from = [] {
    int d = rank - 1;
    while (!reaches(rank - 1) && d - 1 > along && !reaches(d - 1))
      --d;
    return d;
  }();
  /// The dimension of rows; -1 if a plane is one row.
  static constexpr int across = [] {
    for (int d = columns_from - 1; d > along; --d)
      if (reaches(d))
        return d;
    return -1;
  }();
  /// Whether no stencil reaches along a fourth dimension.
  static constexpr bool is_possible = [] {
    for (int d = 0; d < columns_from; ++d)
      if (d != along && d != across && reaches(d))
        return false;
    return true;
  }();

  /// How far the second stencil reads in front of a place and after it. The place itself counts,
  /// since borders may read it, or lie between it and what is read.
  static constexpr int before(int d) {
    return d < 0 || Second::least()[d] > 0 ? 0 : static_cast<int>(-Second::least()[d]);
  }
  static constexpr int after(int d) {
    return d < 0 || Second::most()[d] < 0 ? 0 : static_cast<int>(Second::most()[d]);
  }
  static constexpr int halo(int d) { return before(d) + after(d); }
  /// Whether a tile has places outside of the array in this dimension.
  static constexpr bool wraps(int d) { return Wraps && halo(d) != 0; }

  /// Planes that are computed between two barriers, so that loads are shared as in stencil_run.
  static constexpr int step = 4;
  static constexpr int planes = 8; ///< in the ring, a power of two
  static constexpr int columns = across < 0 ? static_cast<int>(block_size) : 32;
  static constexpr int lines = static_cast<int>(block_size) / columns; ///< of threads in a plane
  /// Rows of a thread: the more, the fewer are computed by two blocks. (Packs take the memory.)
  static constexpr int rows_each = across < 0 || beside > 1 ? 1 : 2;
  static constexpr int rows = lines * rows_each;
  static constexpr int plane = rows * columns; ///< places of packs

  /// Rows and columns that have all that the second stencil reads.
  static constexpr int whole_rows = rows - halo(across);
  static constexpr int whole_columns = columns - halo(rank - 1);
  static_assert(is_possible && step + halo(along) <= planes && whole_rows > 0 && whole_columns > 0);

  /// Planes of results for which a block computes a multiple of `step` planes: enough that those
  /// which two blocks compute are few.
  static constexpr int segment = 5 * step - halo(along);
};

/// An accessor in a tile, all of whose neighbours that the body may reach lie inside.
template <class Tile, class T> class tile_accessor {
public:
  static constexpr int rank = Tile::rank;
  using coordinate = std::uint32_t;
  using item = pack<T, Tile::beside>;

  struct coordinates {
    coordinate of[rank];
  };

  /// \param plane any number that is the same as the plane's modulo those in the ring
  IKRA_HD tile_accessor(const item* ring, int plane, int row, int column, unsigned beside,
                        const coordinates& place)
      : ring_(ring), plane_(plane), row_(row), column_(column), beside_(beside), place_(place) {}

  /// The only array that is read.
  template <std::size_t L> IKRA_HD T element() const {
    static_assert(L == 0);
    return ring_[(plane_ & (Tile::planes - 1)) * Tile::plane + row_ * Tile::columns + column_]
        .elements[beside_];
  }

  IKRA_HD ikra::detail::section_index_t<rank> section_index() const {
    index<rank> result;
    IKRA_UNROLLED
    for (int d = 0; d < rank; ++d) {
      assume_coordinate(place_.of[d]);
      result[d] = static_cast<std::int64_t>(place_.of[d]);
    }
    return ikra::detail::as_section_index(result);
  }

  template <class Footprint> IKRA_HD static constexpr bool fits() { return true; }

  template <border Border> IKRA_HD tile_accessor neighbour(const index<rank>& offset) const {
    return moved(offset);
  }
  IKRA_HD tile_accessor moved(const index<rank>& offset) const {
    tile_accessor result = *this;
    IKRA_UNROLLED
    for (int d = 0; d < rank; ++d)
      result.place_.of[d] += static_cast<coordinate>(offset[d]);
    result.plane_ += static_cast<int>(offset[Tile::along]);
    if constexpr (Tile::across >= 0)
      result.row_ += static_cast<int>(offset[Tile::across]);
    if constexpr (Tile::beside == 1)
      result.column_ += static_cast<int>(offset[rank - 1]);
    return result;
  }
  IKRA_HD std::int64_t at(int d) const { return place_.of[d]; }

private:
  const item* ring_;
  int plane_, row_, column_;
  unsigned beside_;
  coordinates place_;
};

/// Any other accessor in a tile. A neighbour outside is the nearest element, which the tile has: it
/// lies between. At the border that takes elements of the other side, all neighbours lie in the
/// tile.
template <class Tile, class T> class tile_boundary_accessor {
public:
  static constexpr int rank = Tile::rank;

  IKRA_HD tile_boundary_accessor(const tile_accessor<Tile, T>& accessor, const index<rank>& shape)
      : accessor_(accessor), shape_(shape) {}

  template <std::size_t L> IKRA_HD T element() const { return accessor_.template element<L>(); }
  IKRA_HD ikra::detail::section_index_t<rank> section_index() const {
    return accessor_.section_index();
  }

  template <class Footprint> IKRA_HD bool fits() const {
    IKRA_UNROLLED
    for (int d = 0; d < rank; ++d)
      if (accessor_.at(d) < -Footprint::least()[d] ||
          accessor_.at(d) >= shape_[d] - Footprint::most()[d])
        return false;
    return true;
  }

  template <border Border>
  IKRA_HD tile_boundary_accessor neighbour(const index<rank>& offset) const {
    static_assert(Border != border::wrap);
    index<rank> inside = offset;
    if constexpr (Border == border::clamp) {
      IKRA_UNROLLED
      for (int d = 0; d < rank; ++d)
        inside[d] = clamped(accessor_.at(d) + offset[d], 0, shape_[d] - 1) - accessor_.at(d);
    }
    return {accessor_.moved(inside), shape_};
  }

private:
  tile_accessor<Tile, T> accessor_;
  index<rank> shape_;
};

} // namespace ikra::rt
