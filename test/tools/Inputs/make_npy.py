"""Writes a .npy file: make_npy.py FILE DESCR SHAPE VALUES...

SHAPE is like 2x3. VALUES repeat until the array is full. With CUT=n in the environment
the last n bytes are left out; with ORDER=F the header says Fortran order.
"""

import itertools
import os
import struct
import sys

path, descr, shape_text, *values = sys.argv[1:]
shape = tuple(int(part) for part in shape_text.split("x"))
count = 1
for extent in shape:
    count *= extent
code = {"<f4": "f", "<f2": "e", "<i4": "i", "<i8": "q", "<f8": "d", "<u2": "H"}[descr]
number = float if code in "fed" else int
cycle = itertools.islice(itertools.cycle([number(value) for value in values]), count)
data = struct.pack("<%d%s" % (count, code), *cycle)
fortran = os.environ.get("ORDER") == "F"
header = repr({"descr": descr, "fortran_order": fortran, "shape": shape}).encode()
header += b" " * (-(len(header) + 11) % 64) + b"\n"
whole = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data
with open(path, "wb") as file:
    file.write(whole[: len(whole) - int(os.environ.get("CUT", "0"))])
