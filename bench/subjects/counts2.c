// Locals: both counts decide together, and each reading counts for one of them.
int __VERIFIER_nondet_int(void);
int main(void) {
    int hot = 0, cold = 0, alarm = 0;
    int rounds = __VERIFIER_nondet_int();
    for (int i = 0; i < rounds; i++) {
        int reading = __VERIFIER_nondet_int();
        if (reading > 80)
            hot++;
        else if (reading < 10)
            cold++;
        else if (reading == 50)
            hot = 0;
    }
    if (hot > 9 && cold > 14)
        alarm = 1;
    if (hot == 17)
        alarm = 2;
    return alarm;
}
