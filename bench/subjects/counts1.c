// Two counters; one is set back by some inputs.
int __VERIFIER_nondet_int(void);
void exit(int);
static int alarms, failures, retries;
static void fail(void) { failures++; }
int main(void) {
    for (;;) {
        int event = __VERIFIER_nondet_int();
        if (event == 1)
            fail();
        else if (event == 2)
            failures = 0;
        else if (event == 3) {
            if (failures > 5)
                retries++;
        } else if (event == 4 && retries > 7) {
            if (failures > 12)
                alarms++;
        } else if (event == 5)
            break;
        if (failures < 0) /* only after an overflow */
            exit(1);
    }
    return alarms;
}
