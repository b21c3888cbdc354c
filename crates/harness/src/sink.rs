//! Streams that take output, all of it or so many operations: what stands for a `FILE *` of a function that writes.

/// Its definition in C, for harnesses and for tests that people keep; `BW_QUIET` is defined before.
pub(crate) const DEFINITION: &str = "
/* A stream that takes so many writes and changes of place and refuses what follows. No feature macro: the unit may mean another world. */
struct bw_sink_functions {
  long (*read)(void *, char *, unsigned long);
  long (*write)(void *, const char *, unsigned long);
  int (*seek)(void *, long *, int);
  int (*close)(void *);
};
FILE *bw_open_sink(void *, const char *, struct bw_sink_functions) __asm__(\"fopencookie\");

static BW_QUIET int bw_sink_takes(unsigned *room) {
  if (*room == 0) return 0;
  --*room;
  return 1;
}

static BW_QUIET long bw_sink_write(void *room, const char *bytes, unsigned long count) {
  (void)bytes;
  return bw_sink_takes((unsigned *)room) ? (long)count : 0;
}

static BW_QUIET int bw_sink_seek(void *room, long *offset, int whence) {
  (void)offset;
  (void)whence;
  return bw_sink_takes((unsigned *)room) ? 0 : -1;
}

static BW_QUIET int bw_sink_close(void *room) {
  __builtin_free(room);
  return 0;
}

static BW_QUIET FILE *bw_sink(unsigned room) {
  struct bw_sink_functions functions = {0, bw_sink_write, bw_sink_seek, bw_sink_close};
  unsigned *left = (unsigned *)__builtin_malloc(sizeof *left);
  FILE *stream;
  if (!left) return 0;
  *left = room;
  stream = bw_open_sink(left, \"w+\", functions);
  if (stream) setvbuf(stream, 0, _IONBF, 0);
  return stream;
}
";

/// Operations that sinks take: any number, and few, so that each of the first ones fails once.
pub(crate) const ROOMS: &[u32] = &[u32::MAX, 0, 1, 2, 3, 4, 5, 6];

/// The C expression for a stream with so much room.
pub(crate) fn expression(room: u32) -> String {
    format!("bw_sink({room}u)")
}

/// What the choice is called.
pub(crate) fn legend(room: u32) -> String {
    match room {
        u32::MAX => "a stream that takes output".to_owned(),
        0 => "a stream that refuses output".to_owned(),
        1 => "a stream that takes one write".to_owned(),
        _ => format!("a stream that takes {room} writes"),
    }
}
