// Calls that end in a landing pad: values that live into it, results in phis, clean-ups, structs by value.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

struct Noisy {
  const char *name;
  explicit Noisy(const char *name) : name(name) { std::printf("+%s\n", name); }
  Noisy(const Noisy &other) : name(other.name) { std::printf("=%s\n", name); }
  ~Noisy() { std::printf("-%s\n", name); }
};

struct Big {
  long words[6];
};
struct Pair {
  double x;
  int y;
};

__attribute__((noinline)) static int step(int i) {
  if (i % 3 == 2) throw i;
  if (i % 5 == 4) throw std::out_of_range("five");
  return 2 * i;
}
__attribute__((noinline)) static Big big(Big b, int i) {
  if (i > 2) throw b;
  b.words[i] += i;
  return b;
}
__attribute__((noinline)) static Pair pair(float f) {
  if (f > 2) throw f;
  return {f / 2, static_cast<int>(f)};
}
__attribute__((noinline)) static void unwinds(int depth) {
  Noisy local(depth % 2 ? "odd" : "even");
  if (depth == 0) throw std::string("bottom of the stack");
  unwinds(depth - 1);
  std::printf("never\n");
}

// The state of the loop lives into the handlers and out of them again.
static int loop() {
  int sum = 0, caught = 0;
  for (int i = 0; i < 12; i++) {
    int before = sum;
    try {
      sum += i % 2 ? step(i) : step(i + 1) + before;
    } catch (int value) {
      sum -= value;
      caught++;
      if (value > 7) continue;
    } catch (const std::exception &e) {
      std::printf("%s at %d, %d\n", e.what(), i, before);
      sum = before + caught;
    }
  }
  return sum * 100 + caught;
}

static long through(void (*call)(int), int argument) try {
  call(argument);
  return 1;
} catch (const std::string &text) {
  return static_cast<long>(text.size());
}

struct Base {
  virtual ~Base() = default;
  virtual int value(int i) { return step(i); }
};
struct Derived : Base {
  Noisy member{"member"};
  int value(int i) override {
    if (i == 0) throw *this;
    return Base::value(i) + 1;
  }
};

static void quiet() noexcept(false) {
  try {
    throw 1;
  } catch (...) {
    try {
      throw;
    } catch (int i) {
      std::printf("again %d\n", i);
      throw 2.5;
    }
  }
}

int main() {
  std::printf("%d\n", loop());
  std::printf("%ld %ld\n", through(unwinds, 3), through([](int) {}, 0));
  Big b = {{1, 2, 3, 4, 5, 6}};
  try {
    for (int i = 0;; i++) b = big(b, i);
  } catch (Big &caught) {
    std::printf("%ld %ld %ld\n", caught.words[0], caught.words[1], caught.words[2]);
  }
  double total = 0;
  try {
    for (float f = 0.5f;; f += 0.5f) {
      Pair p = pair(f);
      total += p.x + p.y;
    }
  } catch (float f) {
    std::printf("%g %g\n", f, total);
  }
  Derived d;
  for (int i = 0; i < 4; i++) {
    try {
      Base &base = d;
      std::printf("%d\n", base.value(i));
    } catch (Derived &) {
      std::printf("sliced not\n");
    } catch (int i) {
      std::printf("int %d\n", i);
    }
  }
  try {
    quiet();
  } catch (double x) {
    std::printf("%g\n", x);
  }
  std::vector<std::string> words{"one", "two"};
  try {
    words.at(0) += words.at(1);
    std::printf("%s\n", words[0].c_str());
    words.at(7);
  } catch (const std::exception &) {
    std::printf("range\n");
  }
  return 0;
}
