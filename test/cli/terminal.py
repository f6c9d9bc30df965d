"""Runs a command in a terminal of 100 columns and 30 rows, and prints what the terminal is sent.

usage: terminal.py TYPED COMMAND...   (TYPED is sent once the command has asked a question)
"""

import fcntl
import os
import pty
import re
import struct
import sys
import termios

typed, command = sys.argv[1], sys.argv[2:]
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    os.execvp(command[0], command)
seen = b""
while True:
    try:
        piece = os.read(master, 65536)
    except OSError:
        break
    if not piece:
        break
    seen += piece
    shown = re.sub(rb"\x1b\[[0-9;]*[A-Za-z]", b"", seen)
    if typed and shown.rstrip().endswith(b":"):
        os.write(master, typed.encode() + b"\r")
        typed = ""
sys.stdout.buffer.write(seen)
sys.stdout.flush()
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
