/* A process scheduler with priority queues, commands on standard input: the shape of the Siemens suite's `schedule`. */
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 4, PROCESSES = 16 };

struct process { int id, level, next, blocked, quantum; };

static struct process processes[PROCESSES];
static int queue[LEVELS] = {-1, -1, -1, -1};
static int blocked = -1, current = -1, made, finished;

static void append(int *list, int process) {
    processes[process].next = -1;
    while (*list >= 0)
        list = &processes[*list].next;
    *list = process;
}

static int take(int *list, int position) {
    while (*list >= 0 && position-- > 0)
        list = &processes[*list].next;
    int found = *list;
    if (found >= 0)
        *list = processes[found].next;
    return found;
}

static int length(int list) {
    int count = 0;
    for (; list >= 0; list = processes[list].next)
        count++;
    return count;
}

static void dispatch(void) {
    if (current >= 0)
        return;
    for (int level = LEVELS - 1; level >= 0; level--) {
        current = take(&queue[level], 0);
        if (current >= 0) {
            processes[current].quantum = level + 1;
            return;
        }
    }
}

static int spawn(int level) {
    if (level < 0 || level >= LEVELS)
        return 1;
    if (made == PROCESSES)
        return 2;
    processes[made] = (struct process){made, level, -1, 0, 0};
    append(&queue[level], made++);
    return 0;
}

static int upgrade(int level, int ratio) {
    if (level < 0 || level >= LEVELS - 1)
        return 3;
    int count = length(queue[level]);
    if (count == 0 || ratio > 9)
        return 4;
    int process = take(&queue[level], count * ratio / 10);
    if (process < 0)
        return 5;
    processes[process].level = level + 1;
    append(&queue[level + 1], process);
    return 0;
}

static int unblock(int ratio) {
    int count = length(blocked);
    if (count == 0)
        return 6;
    int process = take(&blocked, count * ratio / 10);
    if (process < 0)
        return 7;
    processes[process].blocked++;
    if (processes[process].blocked > 2 && processes[process].level > 0)
        processes[process].level--;
    append(&queue[processes[process].level], process);
    return 0;
}

int main(void) {
    char line[16];
    int result = 0;
    while (fgets(line, sizeof line, stdin)) {
        int argument = line[1] == ' ' ? atoi(line + 2) : 0;
        dispatch();
        switch (line[0]) {
        case 's': result = spawn(argument); break;
        case 'u': result = upgrade(argument / 10, argument % 10); break;
        case 'b':
            if (current < 0) {
                result = 8;
            } else {
                append(&blocked, current);
                current = -1;
            }
            break;
        case 'w': result = unblock(argument); break;
        case 'q':
            if (current >= 0 && --processes[current].quantum <= 0) {
                append(&queue[processes[current].level], current);
                current = -1;
            }
            break;
        case 'f':
            if (current >= 0) {
                finished++;
                current = -1;
            } else {
                result = 9;
            }
            break;
        case '#': break;
        default: return 10;
        }
        if (result)
            return result;
    }
    if (finished == made && made > 2)
        puts("all finished");
    return length(blocked) > 1 ? 11 : 0;
}
