// Undefined functions that give a pointer back through a pointer; an array of pointers with its length is left alone
// function: options
// expect: branches=10/10 infeasible=0
struct option {
    char name;
    int value;
};

extern int next_word(int from, char **word);
extern int look_up(const char *word, struct option **found);
extern void order(struct option **all, int count);

int options(void)
{
    char *word;
    struct option *found;
    struct option one = {'a', 1}, *all[1] = {&one};
    if (next_word(0, &word) <= 0 || !word)
        return 0;
    if (word[0] == '-' && look_up(word, &found) == 1 && found) {
        order(all, 1);
        return found->value + all[0]->value;
    }
    return 1;
}
