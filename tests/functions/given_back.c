// Undefined functions that give back what they were given, as look-ups and removals do
// function: rename_entry
// expect: branches=8/8 infeasible=0
struct table;
struct entry {
    const char *name;
    int links;
};

extern void *remove_entry(struct table *table, const void *entry);
extern struct entry *merge(struct entry *first, struct entry *second);

int rename_entry(struct table *table, struct entry *entry, struct entry *other)
{
    if (!entry || !other)
        return -1;
    if (remove_entry(table, entry) != entry)
        return -2;
    if (merge(entry, other) == other)
        return other->links;
    return 0;
}
