/* crest.h: the interface of CREST, so that programs written for it run under bothways unchanged. */
#ifndef BOTHWAYS_CREST_H
#define BOTHWAYS_CREST_H

#ifdef __BOTHWAYS__

#ifdef __cplusplus
extern "C" {
#endif
void __CrestChar(char *);
void __CrestUChar(unsigned char *);
void __CrestShort(short *);
void __CrestUShort(unsigned short *);
void __CrestInt(int *);
void __CrestUInt(unsigned int *);
#ifdef __cplusplus
}
#endif

#define CREST_char(x) __CrestChar(&(x))
#define CREST_unsigned_char(x) __CrestUChar(&(x))
#define CREST_short(x) __CrestShort(&(x))
#define CREST_unsigned_short(x) __CrestUShort(&(x))
#define CREST_int(x) __CrestInt(&(x))
#define CREST_unsigned_int(x) __CrestUInt(&(x))

#else

#include "bothways.h"

#define CREST_char(x) bw_char(&(x), "char")
#define CREST_unsigned_char(x) bw_uchar(&(x), "unsigned_char")
#define CREST_short(x) bw_short(&(x), "short")
#define CREST_unsigned_short(x) bw_ushort(&(x), "unsigned_short")
#define CREST_int(x) bw_int(&(x), "int")
#define CREST_unsigned_int(x) bw_uint(&(x), "unsigned_int")

#endif

#endif
