#define IKRA_SUM(SIZE) \
  SIZE
template <int N> struct rows {
  static constexpr int MAX = N, top = INT32_MAX; /* PI */
};
