// A queue of mails behind a small protocol: who has sent MAIL has a sender, who has sent RCPT has one to four of whom it is for.
// expect: branches=31/38 infeasible=7
// witness: 3 1 4 1 2 5 2 1 3 1 3 1 3 1 3 1 3 1 4 1 2 -1 1 0 9 0 0
#include "bothways.h"

#define ROOM 4

struct session {
    int phase, sender, count;
    int receivers[ROOM];
};

static struct session now;
static int queued;

static int hello(struct session *s) {
    s->sender = 0;
    s->count = 0;
    s->phase = 1;
    return 250;
}

static int mail(struct session *s, int who) {
    if (s->phase != 1)
        return 503;
    s->sender = who > 0 ? who : 1;
    s->phase = 2;
    return 250;
}

static int receiver(struct session *s, int who) {
    if (s->phase != 2 && s->phase != 3)
        return 503;
    if (s->sender == 0) /* never true */
        return 550;
    if (s->count >= ROOM)
        return 452;
    s->receivers[s->count++] = who;
    s->phase = 3;
    return 250;
}

static int data(struct session *s) {
    if (s->phase != 3)
        return 503;
    if (s->count == 0 || s->count > ROOM) /* never true, and never true */
        return 554;
    queued++;
    return hello(s);
}

int main(void) {
    int command, who, answer;
    hello(&now);
    bw_int(&command, "command");
    while (command != 0) {
        bw_int(&who, "who");
        switch (command) {
        case 1: answer = hello(&now); break;
        case 2: answer = mail(&now, who); break;
        case 3: answer = receiver(&now, who); break;
        case 4: answer = data(&now); break;
        default: answer = 500;
        }
        if (answer == 550 || answer == 554) /* never true, and never true */
            return 1;
        if (now.phase < 1 || now.phase > 3) /* never true, and never true */
            return 2;
        bw_int(&command, "command");
    }
    return 0;
}
