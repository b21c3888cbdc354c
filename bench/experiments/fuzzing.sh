#!/usr/bin/env bash
# Usage: bench/run fuzzing [-t SECONDS] [-j CORES] [-c FIRST-CORE] [-s] [-w] [-v] [-r REPEATS] [NAME]...
# Branches covered after the same time on the same cores from the same seed, bothways beside AFL++, on whole programs; one after the
# other, or with -s side by side, each on cores of its own; nothing else should run. With -w, two processes of AFL++ beside one that
# `bothways fuzz --sync` works with, each pair on two cores, one pair after the other. With -r, no branches are counted but runs a
# second: those without expressions of bothways, over the time in which it fuzzes, and those of AFL++, over all of its time; least,
# median and most of so many repeats. With -v, bothways alone searches, and varies what AFL++ cannot: up to two words of the command line in
# front of the subject's own, and whether calls of the C library fail; covered is what its judge (llvm-cov) says. What each found is replayed on one build with
# clang's source coverage, and llvm-cov counts. Prints a table in Markdown; the sides that each covers are in found/*.sides below the folder. A
# side that bothways calls infeasible and an input of AFL++ takes is a false proof. NAME: grep xmlwf cjson jq yaml (these without names) and those of `subject` below. Needs
# `make build` and the Debian package afl++; fetches and builds the subjects with the recipes of bench/recipes. Everything stays in
# build/fuzzing/NAME.
set -uo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
bothways=${BOTHWAYS:-$root/target/release/bothways}
seconds=600 cores=2 core=0 beside= with= repeats= varied=
while getopts t:j:c:r:svw option; do
  case $option in
    t) seconds=$OPTARG ;;
    j) cores=$OPTARG ;;
    c) core=$OPTARG ;;
    s) beside=yes ;;
    w) with=yes ;;
    v) varied=yes ;;
    r) repeats=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- grep xmlwf cjson jq yaml
[ -x "$bothways" ] || { echo "fuzzing: run \`make build\` first" >&2; exit 2; }
bench/needs.sh afl++ || exit 2
export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1

# subject NAME: compiler for AFL++, recipe, program below the build folder, its arguments (@@ is the input's file, none: standard
# input), seed, longest input, name of the input's file, files and folders that a run must not find (bothways has a new folder for each run)
subject() {
  arguments=() symbolic=() length=64 instrumenter=afl-clang-fast write_seed= leaves= file=input
  case $1 in
    grep)
      recipe=grep program=src/grep arguments=(-E -f @@ "$root/README.md") seed='a[b-c]*|(x)\1'
      # Debian's afl-clang-fast is clang 14, which does not take declarations behind labels.
      instrumenter=afl-gcc
      ;;
    # Fuzz targets: AFL++ calls them in a loop in one process (persistent mode).
    cjson-target) program=target symbolic=(--fuzz-input 64) seed='bfuf{"a": [1, true, "x"]}' ;;
    expat-target) program=target symbolic=(--fuzz-input 64) seed='<?xml version="1.0"?><a b="c">&lt;</a>' ;;
    xmlwf) recipe=expat program=xmlwf/xmlwf arguments=(@@) seed='<?xml version="1.0"?><a b="c">&lt;</a>' ;;
    cjson) program=fuzz_main arguments=(@@) seed='bfuf{"a": [1, true, "x"]}' ;;
    jq) recipe=jq program=jq arguments=(.) seed='{"a": [1, true, "x"]}' ;;
    yaml) recipe=libyaml program=tests/run-parser arguments=(@@) seed=$'a: [1, "x"]\n- &b c\n' ;;
    # Results go below the folder in which they run: an assembler removes its output when it fails, also /dev/null.
    xa) recipe=xa program=xa arguments=(-o out @@) seed=$'lda #1\nbne *\n' ;;
    xlunzip) recipe=xlunzip program=xlunzip arguments=() seed=LZIP ;;
    yamdi) recipe=yamdi program=yamdi arguments=(-i @@ -o out) seed=FLV ;;
    z80asm) recipe=z80asm program=z80asm arguments=(-o out @@) seed=$' ld a,1\nx: jp x\n' ;;
    chordii) recipe=chordii program=src/chordii arguments=(@@) seed=$'{title: a}\n[C]b [G7]c\n' ;;
    colorize) recipe=colorize program=colorize arguments=(--clean) seed=$'\e[1;31ma\e[0m b\n' ;;
    conv-tools) recipe=conv-tools program=bin/mixconv/mixconv seed=$'a\xe6b\n' ;;
    cookietool) recipe=cookietool program=cookietool arguments=(-b -sw @@) seed=$'ab c\n%\nc d\n%\n' ;;
    dis51) recipe=dis51 program=dis51 seed=$':03000000020005F6\n:00000001FF\n' ;;
    e00compr)
      recipe=e00compr program=e00conv arguments=(@@ out FULL) length=256
      seed=$'EXP  0 A.E00\nARC  2\n        1        1\n  1.0E+00  2.0E+00\nEOS\n'
      ;;
    ent) recipe=ent program=ent arguments=(-c -f) seed=abc ;;
    fatsort) recipe=fatsort program=src/fatsort arguments=(-l @@) length=2048 write_seed=fat_image ;;
    scalpel)
      recipe=scalpel program=scalpel arguments=(-c @@ -O -p -o carved "$root/build/subjects/scalpel/Makefile")
      seed=$'gif y 50 zzz zzy\n' leaves='carved/audit.txt carved'
      ;;
    sharutils) recipe=sharutils program=src/uudecode arguments=(-o /dev/stdout) seed=$'begin 644 a\n#0V%T\n`\nend\n' ;;
    simhash) recipe=simhash program=simhash arguments=(-s 4 -f 8) seed=$'ab cd ef\n' ;;
    spin) recipe=spin program=Src/spin arguments=(-F @@) seed=$'[] (p -> <> q)\n' ;;
    stegsnow) recipe=stegsnow program=snow arguments=(-C) seed=$'ab \t  \t\ncd\t  \n' ;;
    supercat)
      recipe=supercat program=src/spc arguments=(-c @@ "$root/build/subjects/supercat/src/Makefile.am")
      seed=$'Red                  red b   r spc\n'
      ;;
    jbig2dec) recipe=jbig2dec program=jbig2dec arguments=(-o /dev/null @@) length=128 write_seed=jbig2_image ;;
    # Without a name for its output: it removes that when it fails, also /dev/null.
    jbigkit) recipe=jbigkit program=pbmtools/jbgtopbm write_seed=jbig_image ;;
    jhead) recipe=jhead program=jhead arguments=(-v @@) length=128 write_seed=exif_image ;;
    # A grammar whose file name has no dot is a crash.
    jikespg)
      recipe=jikespg program=src/jikespg file=input.g arguments=(-verbose -states -table=c @@)
      seed=$'%Terminals a b\n%Rules\nS ::= a S | b\n%End\n'
      ;;
    jimtcl) recipe=jimtcl program=jimsh arguments=(@@) seed=$'set a [expr {1+2}]\nif {$a > 2} {append a x}\n' ;;
    vilistextum) recipe=vilistextum program=src/vilistextum arguments=(- -) seed='<h1>a</h1><ul><li>b&amp;</ul>' ;;
    vtprint)
      recipe=vtprint program=vtprint arguments=(-q -L @@ -T ab "$root/build/subjects/vtprint/testfile")
      seed=$'ab, c\n\\033[5i\n\\033[4i\n'
      ;;
    xfpt) recipe=xfpt program=src/xfpt arguments=(-o /dev/null @@) seed=$'.macro x a\n$1\n.endmacro\n&*a*& &c;\n.x b\n' ;;
    ncompress) recipe=ncompress program=compress arguments=(-d -c) write_seed=lzw_text ;;
    nomarch) recipe=nomarch program=nomarch arguments=(-t @@) write_seed=arc_archive ;;
    # -r: what a file says is not given to a shell.
    remind) recipe=remind program=src/remind arguments=(-r @@ 1 Jan 2026) seed=$'REM 1 Jan MSG a\nSET x 1+2\n' ;;
    rs) recipe=rs program=rs arguments=(-c: -t) seed=$'a:b\nc:d\n' ;;
    t1utils)
      recipe=t1utils program=t1asm length=128
      seed=$'%!PS\n/lenIV 4 def\ncurrentfile eexec\n/.notdef{0 10 hsbw endchar}ND\nmark currentfile closefile\n'
      ;;
    tcs) recipe=tcs program=tcs arguments=(-f jis) seed=$'a \e$B$"\e(B\n' ;;
    bc) recipe=bc program=bc/bc seed=$'a=1+2\nif (a>2) print "x"\n' ;;
    ed) recipe=ed program=ed arguments=(-r -s) seed=$'a\nx\n.\n1p\n' ;;
    figlet) recipe=figlet program=figlet arguments=(-d "$root/build/subjects/figlet/fonts") seed=ab ;;
    gawk) recipe=gawk program=gawk arguments=(-S -f @@) seed='BEGIN { x[1] = "a" "b"; print x[1] + 2 }' ;;
    mujs) recipe=mujs program=build/release/mujs arguments=(@@) seed='var a = [1, "x"]; print(a.length);' ;;
    pmccabe) recipe=pmccabe program=pmccabe arguments=(-v @@) seed='int f(int a) { if (a) a++; }' ;;
    qprint) recipe=qprint program=qprint arguments=(-d) seed='a=3D b' ;;
    rman) recipe=rman program=rman seed=$'.TH a 1\n.SH b\nc\n' ;;
    scdoc) recipe=scdoc program=scdoc seed=$'a(1)\n\n# B\n\n*c*\n' ;;
    spline) recipe=spline program=aspline seed=$'1 2\n3 4\n' ;;
    unhtml) recipe=unhtml program=unhtml seed='<p>a</p>' ;;
    wp2x) recipe=wp2x program=src/wp2x arguments=(html.cfg @@) seed=ab ;;
    zmakebas) recipe=zmakebas program=zmakebas arguments=(-o out) seed=$'10 print "a"\n' ;;
    # What runs commands only reads them here.
    mawk) recipe=mawk program=mawk arguments=(-W dump -f @@) seed='/a+/ { x[$1] = "a" "b"; print x[1] + 2 }' ;;
    dash) recipe=dash program=src/dash arguments=(-n @@) seed=$'if a=b; then c "$d" | e; fi\n' ;;
    cmark) recipe=cmark program=build/src/cmark seed=$'# a\n\n* b *c*\n\n[d](e)\n' ;;
    bzip2) recipe=bzip2 program=bzip2 arguments=(-d -c) length=128 write_seed=bzip2_text ;;
    gzip) recipe=gzip program=gzip arguments=(-d -c) write_seed=gzip_text ;;
    indent) recipe=indent program=src/indent arguments=(-npro) seed='int f(int a) { if (a) a++; else b(); }' ;;
    byacc) recipe=byacc program=yacc file=input.y arguments=(-b out @@) seed=$'%token A\n%%\na: A b | ;\nb: { c(); };\n%%\n' ;;
    cflow) recipe=cflow program=src/cflow file=input.c arguments=(@@) seed='int f(int a) { if (a) g(); }' ;;
    duktape) recipe=duktape program=duk file=input.js arguments=(@@) seed='var a = [1, "x"]; print(a.length);' ;;
    discount) recipe=discount program=markdown seed=$'# a\n\n* b *c*\n\n[d](e)\n' ;;
    dos2unix) recipe=dos2unix program=dos2unix seed=$'a\r\nb\n' ;;
    unzip) recipe=unzip program=unzip file=input.zip arguments=(-t @@) length=128 write_seed=zip_archive ;;
    mandoc) recipe=mandoc program=mandoc seed=$'.TH a 1\n.SH b\n.IP c\n' ;;
    tidy-html5) recipe=tidy-html5 program=out/tidy arguments=(-q) seed='<h1>a</h1><ul><li>b&amp;</ul>' ;;
    xz-utils) recipe=xz-utils program=src/xz/xz arguments=(-d -c) length=128 write_seed=xz_text ;;
    brotli) recipe=brotli program=out/brotli arguments=(-d -c) write_seed=brotli_text ;;
    tcc) recipe=tcc program=tcc file=input.c arguments=(-c -o out @@) seed='int f(int a) { if (a) a++; return a; }' ;;
    # Programs that papers on fuzzing take.
    tcpdump) recipe=tcpdump program=tcpdump file=input.pcap arguments=(-n -vv -e -r @@) length=128 write_seed=pcap_packet ;;
    libxml2) recipe=libxml2 program=xmllint file=input.xml arguments=(--noout @@) seed='<?xml version="1.0"?><a b="c">&lt;</a>' ;;
    tiff) recipe=tiff program=out/tools/tiffinfo file=input.tif arguments=(-D -s @@) length=256 write_seed=tiff_image ;;
    libarchive) recipe=libarchive program=bsdtar file=input.zip arguments=(-t -f @@) length=128 write_seed=zip_archive ;;
    libpng) recipe=libpng program=pngimage file=input.png arguments=(@@) length=128 write_seed=png_image ;;
    libjpeg-turbo) recipe=libjpeg-turbo program=out/djpeg-static file=input.jpg arguments=(@@) length=192 write_seed=jpeg_image ;;
    openjpeg2) recipe=openjpeg2 program=out/bin/opj_decompress file=input.j2k arguments=(-i @@ -o out.pgm) length=128 write_seed=jpeg2000_image ;;
    readelf) recipe=binutils program=binutils/readelf arguments=(-a @@) length=256 write_seed=elf_object ;;
    nm) recipe=binutils program=binutils/nm-new arguments=(@@) length=256 write_seed=elf_object ;;
    objdump) recipe=binutils program=binutils/objdump arguments=(-x -d @@) length=256 write_seed=elf_object ;;
    sqlite3) recipe=sqlite3 program=sqlite3 arguments=(-safe) seed='create table a(b); select * from a;' ;;
    sed) recipe=sed program=sed/sed arguments=(--sandbox -n -f @@ "$root/README.md") seed='s/a\(b\)*/\1/g;p' ;;
    nasm) recipe=nasm program=nasm file=input.asm arguments=(-o out @@) seed=$'mov eax,1\nx: jmp x\n' ;;
    ndisasm) recipe=nasm program=ndisasm arguments=(-b 64 @@) seed=$'\xb8\x01\x02\x03\x04\x0f\xae\xf8' ;;
    luac) recipe=lua5.4 program=src/luac arguments=(-l -p @@) seed='local a = {1, "x"} for i = 1, 2 do print(a[i]) end' ;;
    json-c) recipe=json-c program=out/apps/json_parse arguments=(@@) seed='{"a": [1, true, "x"]}' ;;
    # More that many use.
    catdoc) recipe=catdoc program=src/catdoc arguments=(@@) seed='{\rtf1 a\b b\par}' ;;
    cpio) recipe=cpio program=src/cpio arguments=(-t -v) length=256 write_seed=cpio_archive ;;
    giflib) recipe=giflib program=giftext arguments=(@@) length=128 write_seed=gif_image ;;
    lhasa) recipe=lhasa program=src/lha file=input.lzh arguments=(t @@) length=128 write_seed=lha_archive ;;
    libwebp) recipe=libwebp program=examples/dwebp arguments=(@@ -ppm -o out.ppm) length=128 write_seed=webp_image ;;
    unrtf) recipe=unrtf program=src/unrtf arguments=(--nopict -P "$root/build/subjects/unrtf/outputs" --html @@) seed='{\rtf1 a\b b\par}' ;;
    zstd) recipe=zstd program=programs/zstd file=input.zst arguments=(-d -c -f @@) length=128 write_seed=zstd_text ;;
    *) echo "fuzzing: there is no subject $1" >&2; exit 2 ;;
  esac
}

# fat_image FILE: a FAT12 file system of four sectors (boot sector, table, directory, one cluster) with one file
fat_image() {
  local part
  truncate -s 2048 "$1"
  for part in '0:\xeb\x3c\x90MSDOS5.0\x00\x02\x01\x01\x00\x01\x10\x00\x04\x00\xf8\x01\x00' '510:\x55\xaa' '512:\xf8\xff\xff' \
    '1024:A       TXT\x20'; do
    printf '%b' "${part#*:}" | dd of="$1" bs=1 seek="${part%%:*}" conv=notrunc status=none
  done
}

# jbig2_image FILE: a page of 8 by 8 points, and the end of the file
jbig2_image() {
  printf '%b' '\x97JB2\r\n\x1a\n\x01\x00\x00\x00\x01' '\x00\x00\x00\x00\x30\x00\x01\x00\x00\x00\x13' \
    '\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00' \
    '\x00\x00\x00\x01\x33\x00\x00\x00\x00\x00\x00' > "$1"
}

# jbig_image FILE: a header for 8 by 8 points and one stripe without data
jbig_image() {
  printf '%b' '\x00\x00\x01\x00\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00\x08\x08\x00\x03\x5c' '\xff\x02' > "$1"
}

# exif_image FILE: an Exif header with one entry, and the end of the image
exif_image() {
  printf '%b' '\xff\xd8\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00' '\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00' \
    '\x00\x00\x00\x00\xff\xd9' > "$1"
}

# lzw_text FILE: "abab" as compress packs it, up to 16 bits
lzw_text() { printf '%b' '\x1f\x9d\x90' '\x61\xc4\x04\x04' > "$1"; }

# arc_archive FILE: one stored file of a byte, and the end of the archive
arc_archive() {
  printf '%b' '\x1a\x02a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00' '\x01\x00\x00\x00' '\x00\x00\x00\x00\x00\x22' \
    '\x01\x00\x00\x00' 'x\x1a\x00' > "$1"
}

# bzip2_text FILE, gzip_text FILE, zip_archive FILE: "ab" as these pack it
bzip2_text() { python3 -c 'import bz2, sys; sys.stdout.buffer.write(bz2.compress(b"ab"))' > "$1"; }
gzip_text() { python3 -c 'import gzip, sys; sys.stdout.buffer.write(gzip.compress(b"ab", mtime=0))' > "$1"; }
zip_archive() {
  python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED).writestr(zipfile.ZipInfo("a"), "ab")' "$1"
}

# xz_text FILE, brotli_text FILE: "ab" as these pack it
xz_text() { python3 -c 'import lzma, sys; sys.stdout.buffer.write(lzma.compress(b"ab"))' > "$1"; }
brotli_text() { printf '%b' '\x8b\x00\x80\x61\x62\x03' > "$1"; }

# pcap_packet FILE: a UDP packet on Ethernet
pcap_packet() {
  python3 -c 'import struct, sys
packet = bytes(12) + bytes.fromhex("0800" "4500001e00010000401100007f0000017f000001" "00350035000a0000") + b"ab"
sys.stdout.buffer.write(struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) + struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)' > "$1"
}

# tiff_image FILE: a point of gray, without compression
tiff_image() {
  python3 -c 'import struct, sys
tags = [(256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 1), (279, 1)]
entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
sys.stdout.buffer.write(b"II*\0" + struct.pack("<IIH", 12, 0, len(tags)) + entries + bytes(4))' > "$1"
}

# png_image FILE: one grey point
png_image() {
  python3 -c 'import struct, sys, zlib
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) +
  chunk(b"IDAT", zlib.compress(b"\0\x55")) + chunk(b"IEND", b""))' > "$1"
}

# jpeg_image FILE: one grey point; each code has one bit
jpeg_image() {
  python3 -c 'import struct, sys
part = lambda mark, data: struct.pack(">BBH", 255, mark, len(data) + 2) + data
code = lambda table: part(0xc4, bytes([table, 1] + [0] * 15 + [0]))
sys.stdout.buffer.write(b"\xff\xd8" + part(0xdb, bytes([0] + [1] * 64)) + part(0xc0, bytes([8, 0, 1, 0, 1, 1, 1, 0x11, 0])) + code(0) + code(16) +
  part(0xda, bytes([1, 1, 0, 0, 63, 0])) + b"\x3f\xff\xd9")' > "$1"
}

# jpeg2000_image FILE: one grey point, of which nothing is said
jpeg2000_image() {
  python3 -c 'import struct, sys
part = lambda mark, data: struct.pack(">HH", mark, len(data) + 2) + data
sys.stdout.buffer.write(b"\xff\x4f" + part(0xff51, struct.pack(">HIIIIIIIIHBBB", 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 7, 1, 1)) +
  part(0xff52, bytes([0, 0, 0, 1, 0, 0, 4, 4, 0, 1])) + part(0xff5c, b"\x40\x40") + part(0xff90, struct.pack(">HIBB", 0, 0, 0, 1)) +
  b"\xff\x93\x00\xff\xd9")' > "$1"
}

# elf_object FILE: a header, and one section of names, which are the end of its own entry
elf_object() {
  python3 -c 'import struct, sys
head = b"\x7fELF" + bytes([2, 1, 1] + [0] * 9) + struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 1, 0)
sys.stdout.buffer.write(head + struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, 120, 8, 0, 0, 1, 0))' > "$1"
}

# gif_image FILE: one point, and the end of the file
gif_image() {
  printf '%b' 'GIF89a\x01\x00\x01\x00\x80\x00\x00' '\x00\x00\x00\xff\xff\xff' ',\x00\x00\x00\x00\x01\x00\x01\x00\x00' '\x02\x02\x44\x01\x00;' > "$1"
}

# webp_image FILE: one point, without loss
webp_image() {
  printf '%b' 'RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00' '\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00' > "$1"
}

# zstd_text FILE: "ab" in a block as it is
zstd_text() { printf '%b' '\x28\xb5\x2f\xfd\x20\x02\x11\x00\x00ab' > "$1"; }

# lha_archive FILE: a stored file of two bytes, and the end of the archive
lha_archive() {
  python3 -c 'import struct, sys
def crc(data):
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8): value = value >> 1 ^ (0xa001 if value & 1 else 0)
    return value
head = b"-lh0-" + struct.pack("<IIIBB", 2, 2, 0, 0x20, 0) + b"\x01a" + struct.pack("<H", crc(b"ab"))
sys.stdout.buffer.write(bytes([len(head), sum(head) & 255]) + head + b"ab\0")' > "$1"
}

# cpio_archive FILE: the end of the archive, in the portable form
cpio_archive() { printf '070707%053d%06o%011dTRAILER!!!\0' 0 11 0 > "$1"; }

# compile NAME KIND: builds the subject with $CC
compile() {
  local here=$folder/$2
  [ ! -e "$here/done" ] || return 0
  rm -rf "$here" && mkdir -p "$here"
  echo 'enable_shared=no' > "$folder/config.site"
  (
    export CONFIG_SITE=$folder/config.site CFLAGS="-O1 -g -w -Wno-incompatible-function-pointer-types -Wno-implicit-function-declaration -Wno-implicit-int"
    case $1 in
      cjson)
        source=$(bench/fetch.sh cjson) &&
          $CC $CFLAGS -I"$source" -o "$here/fuzz_main" "$source"/fuzzing/{fuzz_main,cjson_read_fuzzer}.c "$source/cJSON.c"
        ;;
      cjson-target)
        source=$(bench/fetch.sh cjson) &&
          $CC $CFLAGS -fsanitize=fuzzer -I"$source" -o "$here/target" "$source"/fuzzing/cjson_read_fuzzer.c "$source/cJSON.c"
        ;;
      expat-target)
        bench/run build --folder "$here" expat && cd "$here/expat" &&
          $CC $CFLAGS -fsanitize=fuzzer -DENCODING_FOR_FUZZING=UTF-8 -I. -Ilib -o "$here/target" fuzz/xml_parse_fuzzer.c lib/.libs/libexpat.a
        ;;
      *) bench/run build --folder "$here" "$recipe" ;;
    esac
  ) > "$folder/$2.log" 2>&1 && touch "$here/done" && return 0
  echo "fuzzing: $1 does not build with $CC: $folder/$2.log" >&2
  return 1
}

find_program() {
  local path
  for path in "$folder/$1/$program" "$folder/$1/expat/$program"; do
    [ -x "$path" ] && echo "$path" && return
  done
}

# count LIST FOLDER-OF-FILES…: branches that these inputs cover, and of how many; writes the sides into a list, a line for each. Counters are
# in the file from the start (%c), so those of a run that crashes are kept.
count() {
  local profiles=$folder/profiles list=$1 input
  shift
  local judge; judge=$(find_program cover)
  rm -rf "$profiles" && mkdir -p "$profiles"
  while read -r input; do
    # A copy, because some programs write to the file that they are given.
    cp "$input" "$folder/$file"
    local words=("${arguments[@]/@@/$folder/$file}")
    [ -z "$leaves" ] || rm -rf $leaves
    LLVM_PROFILE_FILE="$profiles/%4m%c.profraw" timeout 5 "$judge" "${words[@]}" < "$input" > /dev/null 2>&1
  done < <(find "$@" -type f ! -name 'README*' ! -path '*/.state/*' 2> /dev/null)
  llvm-profdata-19 merge -sparse "$profiles"/*.profraw -o "$folder/profile" || return 1
  llvm-cov-19 export -skip-expansions -skip-functions "$judge" -instr-profile="$folder/profile" |
    python3 "$root/bench/sides.py" "$list"
}

# remover LIBRARY: removes what the subject leaves when a process ends
remover() {
  {
    echo '#include <stdio.h>'
    echo '__attribute__((destructor)) static void end(void) {'
    printf 'remove("%s");\n' $leaves
    echo '}'
  } | clang-19 -shared -fPIC -x c -o "$1" -
}

# afl FOLDER FIRST-CORE: one process of AFL++ for each core
afl() {
  local index role
  if [ "$leaves" ]; then remover "$folder/remover.so" && export AFL_PRELOAD=$folder/remover.so; fi
  for ((index = 0; index < cores; index++)); do
    role=-S; [ $index -gt 0 ] || role=-M
    taskset -c $(($2 + index)) timeout $((seconds + 30)) afl-fuzz $role "f$index" -V "$seconds" -i "$folder/seeds" -o "$1/afl" -- \
      "$(find_program afl)" "${arguments[@]}" > "$1/afl$index.log" 2>&1 < /dev/null &
  done
  wait
}

# search KIND FOLDER FIRST-CORE OPTION...: bothways with one job for each core, on the build KIND
search() {
  local kind=$1 at=$2 first=$3 words=("${arguments[@]}")
  shift 3
  if [ ${#symbolic[@]} -eq 0 ]; then
    symbolic=(--stdin "0..$length")
    case " ${arguments[*]} " in *' @@ '*) symbolic=(--sym-file "$file:0..$length") ;; esac
  fi
  [ $kind = ours ] || words=(@args "${words[@]}")
  taskset -c "$first-$((first + cores - 1))" "$bothways" test "$(find_program $kind)" "${symbolic[@]}" --seeds "$folder/seeds" \
    --jobs "$cores" --time "$seconds" "$@" -q --json --out "$at/$kind" -- "${words[@]}" > "$at/$kind.json" 2> "$at/$kind.log"
}

ours() { search ours "$1" "$2" --emit corpus; }

# varies NAME FOLDER: a line of a search that varies words and calls
varies() {
  search varied "$2" "$core" --sym-args 0..2:8 \
    --sym-fail malloc,calloc,realloc,strdup,read,write,fread,fwrite,getc,fgets,getline,fflush,fclose,close,open,fopen,lseek,stat,fstat
  python3 -c 'import json, sys
found = json.load(sys.stdin)
row = [sys.argv[1], found["judge"]["total"], found["judge"]["covered"], found["iterations"], found["stopped_by"]]
print("|", " | ".join(map(str, row)), "|")' "$1" < "$2/varied.json"
}

# both FOLDER: a process of AFL++ on core 0, bothways with it on core 1
both() {
  taskset -c 0 timeout $((seconds + 30)) afl-fuzz -M f0 -V "$seconds" -i "$folder/seeds" -o "$1/both" -- \
    "$(find_program afl)" "${arguments[@]}" > "$1/both0.log" 2>&1 < /dev/null &
  # AFL++ makes its folder itself.
  until [ -e "$1/both/f0/fuzzer_stats" ] || ! kill -0 $! 2> /dev/null; do sleep 0.2; done
  taskset -c 1 "$bothways" fuzz --sync "$1/both" --name bw1 --max-len "$length" --seeds "$folder/seeds" --time "$seconds" -q \
    --out "$1/suite" -- "$(find_program ours)" "${arguments[@]}" > "$1/both1.log" 2>&1
  wait
}

# stat FOLDER FIELD: of fuzzer_stats
stat_of() { awk -v field="$2" '$1 == field { print $3 }' "$1/fuzzer_stats"; }

together() {
  local at=$1 alone with
  cores=2 afl "$at" 0
  both "$at"
  alone=$(count "$at/afl.sides" "$at"/afl/*/queue "$at"/afl/*/crashes) && with=$(count "$at/both.sides" "$at"/both/*/queue "$at"/both/*/crashes) || return 1
  echo "| $name | ${alone#* } | ${with% *} | ${alone% *} | $(awk "BEGIN { printf \"%.2f\", ${with% *} / ${alone% *} }") |" \
    "$(stat_of "$at/both/bw1" corpus_found) | $(stat_of "$at/both/f0" corpus_imported) | $(stat_of "$at/both/bw1" corpus_imported) |"
}

# rates NAME FOLDER: a line of runs a second
rates() {
  local index
  for ((index = 0; index < repeats; index++)); do
    rm -rf "${2:?}"/*
    afl "$2" "$core"
    ours "$2" "$core"
    awk '/^run_time|^execs_done/ { found[$1] = $3 } END { printf "%d ", found["execs_done"] / found["run_time"] }' "$2"/afl/*/fuzzer_stats
    python3 -c 'import json, sys; found = json.load(sys.stdin); print(found["work"]["fuzzed"] / found["times"]["fuzz"])' < "$2/ours.json"
  done | python3 -c 'import statistics, sys
theirs, ours = zip(*(map(float, line.split()) for line in sys.stdin))
show = lambda found: f"{min(found):,.0f}, {statistics.median(found):,.0f}, {max(found):,.0f}"
ratios = sorted(mine / other for mine, other in zip(ours, theirs))
print(f"| {sys.argv[1]} | {show(ours)} | {show(theirs)} | {ratios[0]:.2f}, {statistics.median(ratios):.2f}, {ratios[-1]:.2f} |")' "$1"
}

one() {
  subject "$1"
  folder=$root/build/fuzzing/$1
  mkdir -p "$folder/seeds"
  if [ "$write_seed" ]; then "$write_seed" "$folder/seeds/seed"; else printf '%s' "$seed" > "$folder/seeds/seed"; fi
  local at=$folder/found
  if [ $varied ]; then
    CC="$bothways cc -fbothways-sym-fail" compile "$1" varied || return 1
    mkdir -p "$at" && rm -rf "$at"/varied* && cd "$at" && varies "$1" "$at"
    return
  fi
  CC=$instrumenter compile "$1" afl && CC="clang-19 -fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation" compile "$1" cover &&
    CC="$bothways cc" compile "$1" ours || return 1
  rm -rf "$at" && mkdir -p "$at"
  cd "$at" || return 1
  if [ $with ]; then
    together "$at"
    return
  fi
  if [ "$repeats" ]; then
    rates "$1" "$at"
    return
  fi
  if [ $beside ]; then
    afl "$at" 0 &
    ours "$at" "$cores"
    wait
  else
    afl "$at" "$core"
    ours "$at" "$core"
  fi
  local theirs ours
  theirs=$(count "$at/afl.sides" "$at"/afl/*/queue "$at"/afl/*/crashes) && ours=$(count "$at/ours.sides" "$at/ours/corpus") || return 1
  local runs; runs=$(cat "$at"/afl/*/fuzzer_stats | awk '/execs_done/ { n += $3 } END { print n }')
  local mine; mine=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["iterations"])' < "$at/ours.json")
  echo "| $1 | ${ours#* } | ${ours% *} | ${theirs% *} | $(awk "BEGIN { printf \"%.2f\", ${ours% *} / ${theirs% *} }") | $mine | $runs |" \
    "$(LC_ALL=C comm -23 "$at/ours.sides" "$at/afl.sides" | wc -l) | $(LC_ALL=C comm -13 "$at/ours.sides" "$at/afl.sides" | wc -l) |" \
    "$(python3 "$root/bench/sides.py" "$at/afl.sides" "$at/ours.json") |"
}

if [ $with ]; then
  echo "| program | branches | AFL++ with bothways | two AFL++ | ratio | found by bothways | of them taken by AFL++ | taken from AFL++ |"
  echo "|---|---:|---:|---:|---:|---:|---:|---:|"
elif [ $varied ]; then
  echo "| program | branches | covered | runs | stopped by |"
  echo "|---|---:|---:|---:|---|"
elif [ "$repeats" ]; then
  echo "| program | bothways | AFL++ | ratio |"
  echo "|---|---:|---:|---:|"
else
  echo "| program | branches | bothways | AFL++ | ratio | runs of bothways | runs of AFL++ | sides that only bothways has | only AFL++ | false proofs |"
  echo "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
fi
code=0
for name in "$@"; do
  (one "$name") || code=1
done
exit $code
