//! Variables that functions keep from call to call: nothing outside of the function can name them.
//!
//! A run of the search is a process of its own, in which they start anew. The tests of a file share a process. clang puts
//! the variables of the unit into sections of their own, whose content is put back in front of each test; gcc has no way to
//! do so. Must hold: what is put back is not looked at by sanitizers, and what it pointed to stays reachable.

/// In front of the unit.
pub(super) const BEGIN: &str = "#pragma clang section data=\"bw_data\" bss=\"bw_zero\"\n";

/// Behind it.
pub(super) const END: &str = "#pragma clang section data=\"\" bss=\"\"\n";

/// What puts them back.
pub(super) const SUPPORT: &str = "#if defined __clang__
/* Every test starts with the variables within functions as they are at the start of the program. (gcc cannot find them.) */
extern volatile char __start_bw_data[] __attribute__((weak)), __stop_bw_data[] __attribute__((weak));
extern volatile char __start_bw_zero[] __attribute__((weak)), __stop_bw_zero[] __attribute__((weak));

static BW_QUIET __attribute__((no_sanitize(\"address\", \"undefined\"))) void bw_restart(volatile char *from, volatile char *end, char **first)
{
    struct bw_left_behind {
        struct bw_left_behind *next;
        void *content[];
    };
    static struct bw_left_behind *volatile all;
    struct bw_left_behind *now;
    size_t i, bytes = (size_t)(end - from);
    if (!bytes || !(now = malloc(sizeof *now + bytes)))
        return;
    for (i = 0; i < bytes; i++)
        ((char *)now->content)[i] = from[i];
    now->next = all;
    if (!*first) {
        *first = (char *)now->content;
        all = now;
        return;
    }
    for (i = 0; i < bytes; i++)
        if (from[i] != (*first)[i])
            break;
    if (i == bytes) {
        free(now);
        return;
    }
    /* What they hold now stays reachable: objects of the code under test are its own, no leaks of the tests. */
    all = now;
    for (i = 0; i < bytes; i++)
        from[i] = (*first)[i];
}
#endif

";

/// In front of each test.
pub(super) const RESET: &str = "#if defined __clang__
    static char *data, *zero;
    bw_restart(__start_bw_data, __stop_bw_data, &data);
    bw_restart(__start_bw_zero, __stop_bw_zero, &zero);
#endif
";
