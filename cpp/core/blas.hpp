#pragma once
// Matrix products by the BLAS that SciPy ships, whose functions are handed over when the package is imported.
//
// The library may have threads of its own; whoever calls from several threads keeps it to one (threads.py).

#include "types.hpp"

namespace wm::blas {

template <class T>
using Gemm = void (*)(char* transpose_a, char* transpose_b, int* m, int* n, int* k, T* alpha, T* a, int* lda, T* b,
                      int* ldb, T* beta, T* c, int* ldc);

template <class T>
inline Gemm<T> gemm = nullptr;

inline bool available() { return gemm<float> && gemm<double>; }

/// out (m x n) = x (m x k) z' (z is n x k), all stored row by row without gaps.
template <class T>
void products(const T* x, int m, const T* z, int n, int k, T* out) {
  // By columns, as Fortran counts, out' = z x'.
  char transposed = 'T', plain = 'N';
  T one = 1, zero = 0;
  gemm<T>(&transposed, &plain, &n, &m, &k, &one, const_cast<T*>(z), &k, const_cast<T*>(x), &k, &zero, out, &n);
}

}  // namespace wm::blas
