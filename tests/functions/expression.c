// An expression tree: operators, literals, and a division that is refused
// function: evaluate
// expect: branches=18/18 infeasible=0
enum op { LITERAL, ADD, DIVIDE, NEGATE };

struct expr {
    enum op op;
    union {
        int literal;
        struct {
            struct expr *left, *right;
        } sides;
    };
};

static int failed;

int evaluate(const struct expr *e)
{
    if (!e) {
        failed = 1;
        return 0;
    }
    switch (e->op) {
    case LITERAL:
        return e->literal;
    case ADD:
        return evaluate(e->sides.left) + evaluate(e->sides.right);
    case DIVIDE: {
        int divisor = evaluate(e->sides.right);
        if (divisor == 0 || divisor == -1) {
            failed = 2;
            return 0;
        }
        return evaluate(e->sides.left) / divisor;
    }
    case NEGATE:
        return failed ? 0 : -evaluate(e->sides.left);
    }
    return 0;
}
