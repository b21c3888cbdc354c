/* A scheduler over linked queues of three priorities, one command a line with its arguments as numbers: the shape of the Siemens
 * suite's `schedule2`. */
#include <stdio.h>
#include <stdlib.h>

enum { LOW = 1, HIGH = 3, MOST = 10 };
enum { NEW_JOB = 1, UPGRADE, BLOCK, UNBLOCK, QUANTUM, FINISH, FLUSH };

struct job { struct job *next; int id, priority, ticks; };
struct queue { struct job *head; int length; };

static struct queue queues[HIGH + 1]; /* 0: blocked */
static struct job *running;
static int next_id, finished, errors;

static void put(struct queue *queue, struct job *job) {
    struct job **last = &queue->head;
    while (*last)
        last = &(*last)->next;
    job->next = NULL;
    *last = job;
    queue->length++;
}

static struct job *take(struct queue *queue, int ratio) {
    struct job **at = &queue->head, *job;
    int index = queue->length * ratio / 100;
    if (queue->length == 0)
        return NULL;
    if (index >= queue->length)
        index = queue->length - 1;
    while (index-- > 0)
        at = &(*at)->next;
    job = *at;
    *at = job->next;
    queue->length--;
    return job;
}

static void reschedule(void) {
    for (int priority = HIGH; priority >= LOW; priority--) {
        if (running && running->priority >= priority)
            return;
        if (queues[priority].length) {
            struct job *job = take(&queues[priority], 0);
            if (running)
                put(&queues[running->priority], running);
            running = job;
            return;
        }
    }
}

static int new_job(int priority) {
    struct job *job;
    if (priority < LOW || priority > HIGH || next_id >= MOST)
        return 0;
    job = calloc(1, sizeof *job);
    if (!job)
        return 0;
    job->id = next_id++;
    job->priority = priority;
    put(&queues[priority], job);
    return 1;
}

static int upgrade(int priority, int ratio) {
    struct job *job;
    if (priority < LOW || priority >= HIGH || ratio < 0 || ratio > 100)
        return 0;
    job = take(&queues[priority], ratio);
    if (!job)
        return 1;
    job->priority = priority + 1;
    put(&queues[job->priority], job);
    return 1;
}

static int block(void) {
    if (!running)
        return 0;
    put(&queues[0], running);
    running = NULL;
    return 1;
}

static int unblock(int ratio) {
    struct job *job;
    if (ratio < 0 || ratio > 100)
        return 0;
    job = take(&queues[0], ratio);
    if (job)
        put(&queues[job->priority], job);
    return 1;
}

static int quantum(void) {
    if (!running)
        return 0;
    if (++running->ticks > 2 && running->priority > LOW) {
        running->priority--;
        running->ticks = 0;
    }
    put(&queues[running->priority], running);
    running = NULL;
    return 1;
}

static int finish(void) {
    if (!running)
        return 0;
    printf("%d ", running->id);
    free(running);
    running = NULL;
    finished++;
    return 1;
}

static void flush(void) {
    while (running) {
        finish();
        reschedule();
    }
}

#ifdef NUMBERS /* the same program with integers as its input: bench/papers-text.toml */
#include "bothways.h"

static int number(int *value) {
    static int asked;
    if (asked++ == 24)
        return 0;
    bw_int(value, "number");
    return *value >= 0;
}
#else
static int number(int *value) {
    int byte = getchar();
    while (byte == ' ')
        byte = getchar();
    if (byte < '0' || byte > '9')
        return 0;
    for (*value = 0; byte >= '0' && byte <= '9'; byte = getchar())
        if (*value < 1000)
            *value = *value * 10 + byte - '0';
    return 1;
}
#endif

int main(void) {
    int command, a, b, done;
    while (number(&command)) {
        switch (command) {
        case NEW_JOB: done = number(&a) && new_job(a); break;
        case UPGRADE: done = number(&a) && number(&b) && upgrade(a, b); break;
        case BLOCK: done = block(); break;
        case UNBLOCK: done = number(&a) && unblock(a); break;
        case QUANTUM: done = quantum(); break;
        case FINISH: done = finish(); break;
        case FLUSH: flush(); done = 1; break;
        default: done = 0;
        }
        if (!done && ++errors > 3)
            return puts("too many errors"), 1;
        reschedule();
    }
    if (queues[0].length > 1)
        puts("jobs are left");
    if (finished == MOST)
        puts("all are done");
    return 0;
}
