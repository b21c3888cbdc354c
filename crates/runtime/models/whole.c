/* Models of arithmetic on whole numbers: quotients with remainders, bits, the order of bytes. */
#include <inttypes.h>
#include <stdlib.h>

div_t __bw_model_div(int a, int b) {
  div_t result;
  result.quot = a / b;
  result.rem = a % b;
  return result;
}

ldiv_t __bw_model_ldiv(long a, long b) {
  ldiv_t result;
  result.quot = a / b;
  result.rem = a % b;
  return result;
}

lldiv_t __bw_model_lldiv(long long a, long long b) {
  lldiv_t result;
  result.quot = a / b;
  result.rem = a % b;
  return result;
}

imaxdiv_t __bw_model_imaxdiv(intmax_t a, intmax_t b) {
  imaxdiv_t result;
  result.quot = a / b;
  result.rem = a % b;
  return result;
}

intmax_t __bw_model_imaxabs(intmax_t x) {
  intmax_t sign = x >> 63;
  return (intmax_t)(((uintmax_t)x ^ (uintmax_t)sign) - (uintmax_t)sign);
}

int __bw_model_ffs(int x) { return (__builtin_ctz((unsigned)x) + 1) & (0 - (x != 0)); }
int __bw_model_ffsl(long x) { return (__builtin_ctzl((unsigned long)x) + 1) & (0 - (x != 0)); }
int __bw_model_ffsll(long long x) { return __bw_model_ffsl(x); }

uint16_t __bw_model_htons(uint16_t x) { return __builtin_bswap16(x); }
uint16_t __bw_model_ntohs(uint16_t x) { return __builtin_bswap16(x); }
uint32_t __bw_model_htonl(uint32_t x) { return __builtin_bswap32(x); }
uint32_t __bw_model_ntohl(uint32_t x) { return __builtin_bswap32(x); }

int __bw_model_toascii(int c) { return c & 127; }
int __bw_model_isascii(int c) { return (c & ~127) == 0; }
