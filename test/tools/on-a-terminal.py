"""Runs a command on a terminal of its own, as a person would.

python3 on-a-terminal.py PROMPT ANSWER COMMAND ...

Prints what the command shows on the terminal, types ANSWER and a line feed after each PROMPT, and ends with the exit
code of the command. Of an ANSWER with several lines each PROMPT gets the next one, and the last one again and again.
Without a PROMPT ('') nothing is typed.
"""

import os
import pty
import sys

prompt, answers, command = sys.argv[1].encode(), sys.argv[2].encode().split(b"\n"), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
unanswered = b""
while True:
    try:
        shown = os.read(terminal, 4096)
    except OSError:  # Linux reports the end of the other side so.
        break
    if not shown:
        break
    os.write(1, shown)
    unanswered += shown
    if prompt and prompt in unanswered:
        unanswered = b""
        os.write(terminal, answers[0] + b"\n")
        answers = answers[1:] or answers
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
