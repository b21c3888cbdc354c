// Functions and objects that are declared and nowhere defined: stubs return and write what is needed
// function: poll
// expect: branches=18/18 infeasible=0
struct reading {
    int channel;
    double volts;
};

extern int sensor_read(int channel, struct reading *result);
extern const char *sensor_name(int channel);
extern void fatal(const char *message) __attribute__((noreturn));
extern int sensor_count;
extern unsigned char sensor_table[];

int poll(int channel)
{
    struct reading reading = {0, 0.0};
    if (channel < 0 || channel >= sensor_count)
        fatal("channel");
    if (channel < 8 && sensor_table[channel] == 0x7f)
        return 5;
    if (sensor_read(channel, &reading) != 0)
        return -1;
    if (reading.channel != channel)
        return -2;
    if (reading.volts > 4.75)
        return 1;
    const char *name = sensor_name(channel);
    if (name && name[0] == 'T')
        return 2;
    return 0;
}
