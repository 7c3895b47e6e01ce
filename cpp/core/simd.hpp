#pragma once
// Loops compiled once per instruction set, chosen at run time.
//
//   simd::on_avx2(body), simd::on_avx512(body)   run body() compiled for the widest of those sets this machine has.
//   simd::counting_ones(body)                    runs body(ones) likewise, where ones(word) is the fastest in vectors.
//   simd::sum_products_of_bytes<...>(...)        where simd::vectors_multiply_bytes().
//
// A body is a lambda marked WM_INLINE_LAMBDA that calls nothing but WM_INLINE functions: only inlined code takes the
// instruction set of its caller. Sums over coordinates gain nothing from 512 bits (short loops, long remainders), maps
// over whole rows do; hence two entries. Elsewhere than x86 with GCC or Clang both run the body as it is.
//
// Sums are reordered only where `#pragma omp simd` says so (-fopenmp-simd); -ffast-math would break exp below.

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
#define WM_X86_VERSIONS 1
#include <immintrin.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define WM_INLINE inline __attribute__((always_inline))
#define WM_INLINE_LAMBDA __attribute__((always_inline))
#else
#define WM_INLINE inline
#define WM_INLINE_LAMBDA
#endif

namespace wm::simd {

/// How many bits of a word are one, by an instruction.
struct CountedOnes {
  WM_INLINE std::uint32_t operator()(std::uint32_t word) const { return std::uint32_t(std::popcount(word)); }
};

/// The same where vectors have no such instruction: sums over pairs of bits, over fours, bytes and the word.
struct SummedOnes {
  WM_INLINE std::uint32_t operator()(std::uint32_t word) const {
    word -= (word >> 1) & 0x55555555u;
    word = (word & 0x33333333u) + ((word >> 2) & 0x33333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0fu;
    word += word >> 8;
    word += word >> 16;
    return word & 0x3fu;
  }
};

#ifdef WM_X86_VERSIONS

enum class Level { baseline, avx2, avx512, avx512_popcount };

inline Level level() {
  static const Level found = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Level::baseline;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq")) return Level::avx2;
    return __builtin_cpu_supports("avx512vpopcntdq") ? Level::avx512_popcount : Level::avx512;
  }();
  return found;
}

template <class Body>
__attribute__((target("avx2,fma"), noinline)) void compiled_for_avx2(const Body& body) {
  body();
}

template <class Body>
__attribute__((target("avx512f,avx512dq,avx2,fma"), noinline)) void compiled_for_avx512(const Body& body) {
  body();
}

template <class Body>
void on_avx2(const Body& body) {
  level() >= Level::avx2 ? compiled_for_avx2(body) : body();
}

template <class Body>
void on_avx512(const Body& body) {
  level() >= Level::avx512 ? compiled_for_avx512(body) : on_avx2(body);
}

template <class Body>
__attribute__((target("avx512vpopcntdq,avx512f,avx512dq,avx2,fma"), noinline)) void compiled_for_popcount(
    const Body& body) {
  body(CountedOnes{});
}

/// Of 512 bits, and 32 of them at hand.
inline bool wide_vectors() { return level() >= Level::avx512; }

inline bool vectors_count_ones() { return level() >= Level::avx512_popcount; }

inline bool vectors_multiply_bytes() {
  static const bool found = level() >= Level::avx512 && __builtin_cpu_supports("avx512vnni");
  return found;
}

/// sums[a * stride + b] = sum_w sum_q x_q z_q over the signed bytes q of word x[a * width + w] and the unsigned ones of
/// z[(b / 16 * width + w) * 16 + b % 16], for a < rows and b < 16 groups.
template <std::size_t rows, std::size_t groups>
__attribute__((target("avx512vnni,avx512f,avx512dq,avx2,fma"), noinline)) void sum_products_of_bytes(
    const std::uint32_t* x, const std::uint32_t* z, std::size_t width, std::uint32_t* sums, std::size_t stride) {
  __m512i sum[rows][groups];
  for (auto& row : sum)
    for (auto& each : row) each = _mm512_setzero_si512();
  for (std::size_t w = 0; w < width; ++w) {
    __m512i columns[groups];
    for (std::size_t g = 0; g < groups; ++g) columns[g] = _mm512_loadu_si512(z + (g * width + w) * 16);
#pragma GCC unroll 16
    for (std::size_t a = 0; a < rows; ++a) {
      const __m512i row = _mm512_set1_epi32(static_cast<int>(x[a * width + w]));
      for (std::size_t g = 0; g < groups; ++g) sum[a][g] = _mm512_dpbusd_epi32(sum[a][g], columns[g], row);
    }
  }
  for (std::size_t a = 0; a < rows; ++a)
    for (std::size_t g = 0; g < groups; ++g) _mm512_storeu_si512(sums + a * stride + 16 * g, sum[a][g]);
}

template <class Body>
void counting_ones(const Body& body) {
  if (vectors_count_ones()) return compiled_for_popcount(body);
  on_avx512([&]() WM_INLINE_LAMBDA { body(SummedOnes{}); });
}

#else

template <class Body>
void on_avx2(const Body& body) {
  body();
}

template <class Body>
void on_avx512(const Body& body) {
  body();
}

inline bool wide_vectors() { return false; }

inline bool vectors_count_ones() { return false; }

inline bool vectors_multiply_bytes() { return false; }

template <std::size_t rows, std::size_t groups>
void sum_products_of_bytes(const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint32_t*, std::size_t) {}

template <class Body>
void counting_ones(const Body& body) {
  body(CountedOnes{});
}

#endif

/// What exp needs to know of a floating-point type.
template <class T>
struct Exponent;

template <>
struct Exponent<float> {
  using Bits = std::int32_t;
  static constexpr int mantissa = 23;
  static constexpr float round_to_integer = 0x1.8p23f;  // adding it leaves the nearest integer in the low bits
  static constexpr float log2_high = 0x1.63p-1f;        // 9 bits, so that its product with an exponent is exact
  static constexpr float log2_low = -0x1.bd0106p-13f;
  static constexpr float lowest = -86.5f, highest = 89.0f;
  static constexpr int degree = 7;
};

template <>
struct Exponent<double> {
  using Bits = std::int64_t;
  static constexpr int mantissa = 52;
  static constexpr double round_to_integer = 0x1.8p52;
  static constexpr double log2_high = 0x1.62e42fee00000p-1;  // 32 bits
  static constexpr double log2_low = 0x1.a39ef35793c76p-33;
  static constexpr double lowest = -707.0, highest = 710.0;
  static constexpr int degree = 13;
};

/// 1/degree!, ..., 1/1!, 1/0!: Taylor's polynomial of exp, highest power first.
template <class T>
constexpr auto taylor_coefficients = [] {
  std::array<T, Exponent<T>::degree + 1> c{};
  double factorial = 1;
  for (int k = 0; k <= Exponent<T>::degree; factorial *= ++k) c[Exponent<T>::degree - k] = T(1 / factorial);
  return c;
}();

/// 2^-halvings exp(x) to about one unit in the last place, without branches, for x from lowest to highest:
/// x = n log 2 + r, exp(x) = 2^n exp(r).
template <int halvings, class T>
WM_INLINE T exp_within(T x) {
  using E = Exponent<T>;
  const T shifted = x * T(1.4426950408889634) + E::round_to_integer;
  const T n = shifted - E::round_to_integer;
  const T r = (x - n * E::log2_high) - n * E::log2_low;
  const auto bits = std::bit_cast<typename E::Bits>(shifted) - std::bit_cast<typename E::Bits>(E::round_to_integer);
  constexpr auto bias = typename E::Bits(std::numeric_limits<T>::max_exponent - 1);
  const T scale = std::bit_cast<T>((bits + (bias - halvings)) << E::mantissa);
  T sum = taylor_coefficients<T>[0];
  for (int k = 1; k <= E::degree; ++k) sum = sum * r + taylor_coefficients<T>[k];
  return sum * scale;
}

/// exp(x) for x <= 0. Results below the smallest normal number are flushed to zero (subnormals would slow every later
/// use of them).
template <class T>
WM_INLINE T decayed(T x) {
  constexpr T lowest = Exponent<T>::lowest;
  const T value = exp_within<0>(x > lowest ? x : lowest);
  return x > lowest ? value : T(0);
}

/// exp(x) for all x, flushed likewise; 2^n itself may exceed the largest exponent where exp(x) is still finite.
template <class T>
WM_INLINE T exp(T x) {
  using E = Exponent<T>;
  const T raised = x < E::lowest ? E::lowest : x;
  const T clamped = raised > E::highest ? E::highest : raised;
  const T value = exp_within<1>(clamped) * T(2);
  return x < E::lowest ? T(0) : value;
}

/// tanh(x) to a few units in the last place, without branches: (1 - exp(-2|x|)) / (1 + exp(-2|x|)), or near zero, where
/// that would cancel, the sixth convergent of Lambert's continued fraction x / (1 + x^2 / (3 + x^2 / (5 + ...))).
template <class T>
WM_INLINE T tanh(T x) {
  const T size = x < 0 ? -x : x, square = x * x;
  const T small = decayed(T(-2) * size);
  const bool near_zero = size < T(0.25);
  const T above = near_zero ? size * (T(10395) + square * (T(1260) + square * T(21))) : T(1) - small;
  const T below = near_zero ? T(10395) + square * (T(4725) + square * (T(210) + square)) : T(1) + small;
  const T value = above / below;
  return x < 0 ? -value : value;
}

}  // namespace wm::simd
