/* The runtime's side of the models, for drivers that run them natively: everything is taken for symbolic, or nothing. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int all_symbolic;

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
