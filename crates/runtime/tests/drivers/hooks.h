/* The runtime's side of the models, for drivers that run them natively: everything is taken for symbolic, or nothing. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <string.h>

static int all_symbolic;

int __bw_hook_any(void) { return 1; }
int __bw_hook_symbolic(unsigned long value) { return all_symbolic; }
size_t __bw_hook_length(const char *string, size_t limit) { return strnlen(string, limit); }
int __bw_hook_double(char *to, size_t room, const char *format, double value) { return snprintf(to, room, format, value); }
int __bw_hook_vsnprintf(char *to, size_t room, const char *format, va_list arguments, int loses) {
  return vsnprintf(to, room, format, arguments);
}
int __bw_hook_vfprintf(FILE *file, const char *format, va_list arguments, int loses) {
  return vfprintf(file, format, arguments);
}
unsigned long __bw_hook_concrete(unsigned long value) { return value; }
void __bw_hook_pin(unsigned long value) {}
void __bw_hook_pin_text(const char *from, const char *to) {}
void __bw_hook_lost(void) {}

/* Whole numbers, character by character. What is longer than the runtime's window is left to the model. */
struct number {
  long value;
  unsigned long characters;
};

static int digit_of(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  if ((c | 32) >= 'a' && (c | 32) <= 'z' && c < 128) return (c | 32) - 'a' + 10;
  return 99;
}

int __bw_hook_number(const void *from, unsigned long most, unsigned how, struct number *to) {
  FILE *file = how & 1 << 10 ? (FILE *)from : NULL;
  int base = how & 255, narrow = how >> 9 & 1, digits = 0, window = 0, negative = 0;
  unsigned long value = 0, taken = 0;
  char text[80];
  unsigned largest = base <= 2 ? 1 : base <= 4 ? 3 : base <= 8 ? 7 : base <= 16 ? 15 : 63;
  for (unsigned __int128 most = largest; most >> (narrow ? 31 : 63) == 0; most = most * base + largest) window++;
  if (file) {
    long at = ftell(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fseek(file, at, SEEK_SET);
  } else {
    strncpy(text, from, sizeof text - 1);
    text[sizeof text - 1] = 0;
  }
  if (how >> 8 & 1 && most > 0 && (*text == '-' || *text == '+')) negative = text[taken++] == '-';
  for (; taken < most && digit_of((unsigned char)text[taken]) < base; taken++, digits++) {
    if (taken >= window) return -1;
    value = value * base + digit_of((unsigned char)text[taken]);
  }
  if (file) fseek(file, (long)taken, SEEK_CUR);
  if (negative) value = 0 - value;
  to->value = narrow ? (unsigned)value : value;
  to->characters = taken;
  return digits > 0;
}

unsigned long __bw_hook_spaces(const char *string) { return strspn(string, " \t\n\v\f\r"); }
unsigned long __bw_hook_file_spaces(FILE *file) {
  unsigned long count = 0;
  int c;
  while (strchr(" \t\n\v\f\r", c = getc(file)) && c > 0) count++;
  ungetc(c, file);
  return count;
}
void __bw_hook_wanted(const char *start, const char *at, const char *text, unsigned long length) {}
unsigned long __bw_hook_place(unsigned long characters) { return characters; }

/* Nothing fails here. */
int __bw_fail_putc(int c, FILE *file) { return putc(c, file); }
int __bw_fail_fputc(int c, FILE *file) { return fputc(c, file); }
size_t __bw_fail_fwrite(const void *from, size_t size, size_t count, FILE *file) { return fwrite(from, size, count, file); }
ssize_t __bw_fail_write(int descriptor, const void *from, size_t bytes) { return write(descriptor, from, bytes); }
