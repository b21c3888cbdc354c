/* A device driver, cut down to its control flow: one request comes in, every service that it asks for answers as the input says, and the
 * state of the request is checked at the end. Straight code, few loops, each answer an input of its own: the shape of the drivers of SV-COMP
 * (`cdaudio`, `floppy`, `kbfiltr`), which have no loop around requests as machine.c has. */
#include "bothways.h"

enum { SUCCESS = 0, PENDING = 259, UNSUCCESSFUL = -1, NO_DEVICE = -2, BUSY = -3, INVALID = -4, NO_MEMORY = -5, NO_MEDIA = -6, CANCELLED = -7, TIMEOUT = -8 };
enum phase { FRESH, PASSED, SKIPPED, DONE, WAITING };
enum { CREATE = 0, CLOSE = 2, READ = 3, WRITE = 4, CONTROL = 14, INTERNAL = 15, POWER = 22, PLUG = 27 };
enum { START = 0, QUERY_REMOVE = 1, REMOVE = 2, CANCEL_REMOVE = 3, STOP = 4, QUERY_STOP = 5, CANCEL_STOP = 6, SURPRISE = 23 };

struct request { int major, minor, code, length, status; enum phase phase; int completed, routine, pended; };
struct device { int started, removed, queued, held, paused, playing, media, changed, motor, sectors, speed, users, filter, legacy, enabled; };

static struct request irp;
static struct device unit;
static int faults, events, mapped, timers;

/* What a service answers. */
static int answer(const char *name) {
    int value;
    bw_int(&value, name);
    return value;
}

static void fault(int number) {
    faults++;
    events |= 1 << (number & 15);
}

/* Services of the system. */

static void set_routine(void) {
    if (irp.phase != FRESH)
        fault(1);
    irp.routine = 1;
}

static int lower(const char *name) {
    int value;
    if (irp.phase != FRESH) {
        fault(2);
        return INVALID;
    }
    irp.phase = PASSED;
    value = answer(name);
    if (value == PENDING) {
        irp.pended = 1;
        irp.phase = WAITING;
        return PENDING;
    }
    if (irp.routine) {
        if (value < 0)
            irp.completed = 2;
        else
            irp.completed = 1;
    }
    if (value == SUCCESS)
        return SUCCESS;
    if (value == NO_DEVICE)
        return NO_DEVICE;
    if (value == BUSY)
        return BUSY;
    return UNSUCCESSFUL;
}

static int skip(const char *name) {
    if (irp.phase != FRESH) {
        fault(3);
        return INVALID;
    }
    irp.phase = SKIPPED;
    return answer(name) == SUCCESS ? SUCCESS : UNSUCCESSFUL;
}

static int finish(int status) {
    if (irp.phase == DONE) {
        fault(4);
        return status;
    }
    if (irp.phase == WAITING && status != PENDING)
        fault(5);
    irp.phase = DONE;
    irp.status = status;
    return status;
}

static int wait_for(const char *name) {
    int value = answer(name);
    if (irp.phase != WAITING)
        return SUCCESS;
    if (value == 0) {
        irp.phase = PASSED;
        irp.pended = 0;
        return SUCCESS;
    }
    if (value == 258) {
        timers++;
        return TIMEOUT;
    }
    return CANCELLED;
}

static int forward_and_wait(const char *name) {
    int status;
    set_routine();
    status = lower(name);
    if (status == PENDING) {
        status = wait_for("wait");
        if (status == TIMEOUT)
            return TIMEOUT;
        if (status == CANCELLED)
            return CANCELLED;
    }
    return status;
}

static int allocate(const char *name) {
    int value = answer(name);
    if (value == 0)
        return 0;
    mapped++;
    return 1;
}

/* Plug and play. */

static int read_setting(void) {
    int status = answer("open");
    int value;
    if (status < 0)
        return status == NO_DEVICE ? NO_DEVICE : UNSUCCESSFUL;
    value = answer("setting");
    if (value == 1)
        unit.legacy = 1;
    else if (value == 2)
        unit.filter = 1;
    else if (value == 4) {
        unit.legacy = 1;
        unit.filter = 1;
    }
    if (answer("close") < 0)
        fault(6);
    return SUCCESS;
}

static int identify(void) {
    int maker, model;
    if (!allocate("inquiry"))
        return NO_MEMORY;
    maker = answer("maker");
    model = answer("model");
    if (maker == 0x4e45) {
        if (model == 0x0084)
            unit.speed = 2;
        else if (model == 0x0251)
            unit.speed = 4;
        else
            unit.speed = 1;
    } else if (maker == 0x5049) {
        if (model > 600 && model < 700)
            unit.speed = 6;
        else
            unit.speed = 4;
    } else if (maker == 0x4849) {
        unit.legacy = 1;
        if (model == 1750)
            unit.speed = 1;
    } else {
        unit.speed = 8;
    }
    mapped--;
    return SUCCESS;
}

static int start_device(void) {
    int status = forward_and_wait("lower start");
    if (status < 0)
        return finish(status);
    status = read_setting();
    if (status == NO_DEVICE)
        return finish(NO_DEVICE);
    if (status < 0)
        unit.filter = 0;
    status = identify();
    if (status == NO_MEMORY) {
        fault(7);
        return finish(NO_MEMORY);
    }
    if (unit.legacy && unit.speed > 1) {
        if (answer("mode select") < 0)
            unit.speed = 1;
    }
    unit.started = 1;
    return finish(SUCCESS);
}

static int remove_device(void) {
    int status;
    unit.removed = 1;
    unit.started = 0;
    if (unit.users > 0)
        fault(8);
    status = skip("lower remove");
    if (status < 0)
        return UNSUCCESSFUL;
    return SUCCESS;
}

static int query_stop(int leaving) {
    if (unit.users > 1)
        return finish(BUSY);
    if (leaving && unit.playing)
        return finish(BUSY);
    unit.queued = 1;
    return skip("lower query");
}

static int cancel_stop(void) {
    int status = forward_and_wait("lower cancel");
    if (status < 0) {
        if (status == TIMEOUT)
            fault(9);
        return finish(status);
    }
    unit.queued = 0;
    if (unit.held > 0) {
        while (unit.held > 0) {
            unit.held--;
            if (answer("held") < 0)
                break;
        }
    }
    return finish(SUCCESS);
}

static int plug(void) {
    switch (irp.minor) {
    case START:
        if (unit.started)
            return finish(INVALID);
        return start_device();
    case QUERY_REMOVE:
        return query_stop(1);
    case QUERY_STOP:
        return query_stop(0);
    case REMOVE:
    case SURPRISE:
        return remove_device();
    case CANCEL_REMOVE:
    case CANCEL_STOP:
        if (!unit.queued)
            return skip("lower not queued");
        return cancel_stop();
    case STOP:
        unit.started = 0;
        return skip("lower stop");
    default:
        return skip("lower other");
    }
}

/* Power. */

static int power(void) {
    int type = answer("power type");
    int state = answer("power state");
    if (unit.removed)
        return finish(NO_DEVICE);
    if (type == 0) {
        if (state < 1 || state > 6)
            return finish(INVALID);
        if (state == 1)
            unit.enabled = 1;
        else if (state >= 4)
            unit.enabled = 0;
        return skip("lower system");
    }
    if (type == 1) {
        if (state == 1) {
            unit.motor = 1;
            if (forward_and_wait("lower power") < 0) {
                unit.motor = 0;
                return finish(UNSUCCESSFUL);
            }
            return finish(SUCCESS);
        }
        if (state == 4) {
            if (unit.playing)
                return finish(BUSY);
            unit.motor = 0;
        }
        return skip("lower device");
    }
    return finish(INVALID);
}

/* Controls. */

static int check_media(void) {
    int status = answer("test unit");
    if (status == SUCCESS) {
        unit.media = 1;
        return SUCCESS;
    }
    if (status == NO_MEDIA) {
        unit.media = 0;
        unit.playing = 0;
        return NO_MEDIA;
    }
    if (status == BUSY) {
        if (answer("test again") == SUCCESS) {
            unit.media = 1;
            unit.changed = 1;
            return SUCCESS;
        }
        return BUSY;
    }
    return UNSUCCESSFUL;
}

static int table_of_contents(void) {
    int first, last;
    if (irp.length < 804)
        return finish(INVALID);
    if (unit.playing && !unit.paused)
        return finish(BUSY);
    if (check_media() != SUCCESS)
        return finish(NO_MEDIA);
    if (!allocate("contents"))
        return finish(NO_MEMORY);
    first = answer("first");
    last = answer("last");
    mapped--;
    if (first < 1 || last > 99)
        return finish(UNSUCCESSFUL);
    if (first > last) {
        fault(10);
        return finish(UNSUCCESSFUL);
    }
    unit.sectors = (last - first + 1) * 75;
    return finish(SUCCESS);
}

static int play(void) {
    int from, to;
    if (irp.length != 6)
        return finish(INVALID);
    if (check_media() < 0)
        return finish(NO_MEDIA);
    from = answer("from");
    to = answer("to");
    if (from < 0 || to < from)
        return finish(INVALID);
    if (unit.speed > 1) {
        if (to - from > 4500)
            return finish(INVALID);
    }
    if (answer("play") < 0)
        return finish(UNSUCCESSFUL);
    unit.playing = 1;
    unit.paused = 0;
    return finish(SUCCESS);
}

static int pause(void) {
    if (!unit.playing)
        return finish(INVALID);
    if (unit.paused)
        return finish(SUCCESS);
    if (answer("pause") == SUCCESS) {
        unit.paused = 1;
        return finish(SUCCESS);
    }
    return finish(UNSUCCESSFUL);
}

static int resume(void) {
    if (!unit.paused)
        return finish(INVALID);
    if (answer("resume") != SUCCESS)
        return finish(UNSUCCESSFUL);
    unit.paused = 0;
    return finish(SUCCESS);
}

static int position(void) {
    int form = answer("format"), track;
    if (irp.length < 16)
        return finish(INVALID);
    if (form != 1 && form != 2 && form != 3)
        return finish(INVALID);
    if (form == 3) {
        track = answer("track");
        if (track <= 0 || track > 99)
            return finish(INVALID);
    }
    if (answer("subchannel") < 0)
        return finish(UNSUCCESSFUL);
    if (form == 1 && unit.playing) {
        if (answer("audio status") == 0x11)
            unit.playing = 1;
        else
            unit.playing = 0;
    }
    return finish(SUCCESS);
}

static int volume(int setting) {
    int left, right;
    if (irp.length < 4)
        return finish(INVALID);
    if (!allocate("mode"))
        return finish(NO_MEMORY);
    if (setting) {
        left = answer("left");
        right = answer("right");
        if (left < 0 || left > 255) {
            mapped--;
            return finish(INVALID);
        }
        if (right < 0 || right > 255) {
            mapped--;
            return finish(INVALID);
        }
        if (left == right && left == 0)
            events |= 32;
    } else if (answer("mode sense") < 0) {
        mapped--;
        return finish(UNSUCCESSFUL);
    }
    mapped--;
    return finish(SUCCESS);
}

static int format_tracks(void) {
    int head, low, high;
    if (irp.length < 20)
        return finish(INVALID);
    low = answer("low cylinder");
    high = answer("high cylinder");
    if (low > high || high > 79)
        return finish(INVALID);
    head = answer("head");
    if (head != 0 && head != 1)
        return finish(INVALID);
    if (!unit.motor)
        unit.motor = 1;
    for (int track = low < 76 ? 76 : low; track <= high; track++) {
        int status = answer("format");
        if (status == BUSY)
            continue;
        if (status < 0)
            return finish(UNSUCCESSFUL);
    }
    return finish(SUCCESS);
}

static int control(void) {
    if (unit.removed)
        return finish(NO_DEVICE);
    if (!unit.started && irp.code != 0x2d1080)
        return finish(NO_DEVICE);
    switch (irp.code) {
    case 0x24000: return table_of_contents();
    case 0x24018: return play();
    case 0x2400c: return pause();
    case 0x24010: return resume();
    case 0x2402c: return position();
    case 0x24014: return volume(0);
    case 0x24028: return volume(1);
    case 0x4c018: return format_tracks();
    case 0x24800:
        if (check_media() == SUCCESS && unit.changed)
            return finish(SUCCESS);
        return finish(NO_MEDIA);
    case 0x2d1080:
        if (irp.length == 0)
            return finish(INVALID);
        return skip("lower number");
    default:
        return skip("lower control");
    }
}

static int internal(void) {
    if (irp.code == 0xb0203) {
        if (unit.enabled)
            return finish(BUSY);
        if (irp.length < 8)
            return finish(INVALID);
        unit.enabled = 1;
        unit.filter = 1;
        return skip("lower connect");
    }
    if (irp.code == 0xb0403)
        return finish(INVALID);
    if (irp.code == 0xb3fc3) {
        if (irp.length < 24)
            return finish(INVALID);
        if (answer("hook") != 0)
            unit.filter = 2;
        return finish(SUCCESS);
    }
    return skip("lower internal");
}

static int transfer(int writing) {
    int offset, status;
    if (unit.removed || !unit.started)
        return finish(NO_DEVICE);
    if (unit.queued) {
        unit.held++;
        irp.pended = 1;
        irp.phase = WAITING;
        return PENDING;
    }
    offset = answer("offset");
    if (offset < 0)
        return finish(INVALID);
    if (offset % 512 != 0 || irp.length % 512 != 0)
        return finish(INVALID);
    if (writing && unit.legacy)
        return finish(INVALID);
    if (irp.length == 0)
        return finish(SUCCESS);
    if (check_media() == NO_MEDIA)
        return finish(NO_MEDIA);
    status = forward_and_wait(writing ? "lower write" : "lower read");
    if (status == BUSY && answer("retry") == SUCCESS)
        status = SUCCESS;
    return finish(status);
}

static int dispatch(void) {
    switch (irp.major) {
    case CREATE:
        if (unit.removed)
            return finish(NO_DEVICE);
        unit.users++;
        return finish(SUCCESS);
    case CLOSE:
        if (unit.users == 0)
            return finish(INVALID);
        unit.users--;
        return finish(SUCCESS);
    case READ: return transfer(0);
    case WRITE: return transfer(1);
    case CONTROL: return control();
    case INTERNAL: return internal();
    case POWER: return power();
    case PLUG: return plug();
    default: return skip("lower unknown");
    }
}

int main(void) {
    int status;
    if (answer("entry") < 0)
        return 1;
    unit.started = answer("started") != 0;
    unit.removed = answer("removed") == 1;
    unit.queued = answer("queued") == 1;
    unit.playing = answer("playing") == 1;
    unit.paused = unit.playing && answer("paused") == 1;
    unit.speed = answer("speed");
    unit.users = answer("users");
    if (unit.users < 0 || unit.users > 3)
        return 1;
    irp.major = answer("major");
    irp.minor = answer("minor");
    irp.code = answer("code");
    irp.length = answer("length");
    if (irp.length < 0)
        return 1;
#ifdef REQUESTS /* more requests than one before the state is checked: bench/papers-driver.toml */
    for (int round = 1; round < REQUESTS; round++) {
        dispatch();
        irp = (struct request){ .major = answer("major"), .minor = answer("minor"), .code = answer("code"), .length = answer("length") };
    }
#endif
    status = dispatch();

    if (irp.pended && irp.phase == WAITING) {
        if (status != PENDING && status != TIMEOUT && status != CANCELLED)
            fault(11);
    } else if (irp.phase == FRESH) {
        fault(12);
    } else if (irp.phase == PASSED) {
        if (irp.completed == 0)
            fault(13);
    } else if (irp.phase == DONE) {
        if (status == PENDING)
            fault(14);
        else if (status != irp.status)
            fault(15);
    }
    if (mapped != 0)
        fault(0);
    return faults > 0 ? 2 : status < 0 ? 1 : 0;
}
