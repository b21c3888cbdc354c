/* The main of a fuzz target: calls LLVMFuzzerTestOneInput once, with the bytes of the test. Instrumented it asks the runtime for
 * them, plain it asks the replay runtime. */
#include <stddef.h>
#include <stdint.h>

__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __bw_fuzz_input(uint8_t **data, size_t *size);

int main(int argc, char **argv) {
  uint8_t *data;
  size_t size;
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
  __bw_fuzz_input(&data, &size);
  LLVMFuzzerTestOneInput(data, size);
  return 0;
}
