"""Prints how long the terminal takes to its first prompt, and to the first trace of
the embedded model, beside what importing nnterp takes where Python has it.

    python3 tests/repl/startup.py gonterp [runs]
"""

import os
import pty
import statistics
import subprocess
import sys
import time

def until(fd, want):
    seen = b""
    while want not in seen:
        seen += os.read(fd, 65536)
    return seen


def once(program):
    start = time.perf_counter()
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execvp(program, [program])
    until(fd, b"[1]> ")
    prompt = time.perf_counter() - start
    os.write(fd, b'model := gonterp.Load("mini"); with model.Trace("Hello") { logits := model.Logits.Save() }; logits.Shape()\r')
    until(fd, b"{1, 6, ")
    trace = time.perf_counter() - start
    os.write(fd, b"\x04")
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
    os.close(fd)
    return prompt, trace


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "gonterp"
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    times = [once(program) for _ in range(runs)]
    prompt, trace = (statistics.median(t) for t in zip(*times))
    print(f"start to first prompt           {prompt:6.3f} s   (at most 0.2 s is the aim)")
    print(f"start to first trace of mini    {trace:6.3f} s   (at most 1 s is the aim)")
    start = time.perf_counter()
    if subprocess.run([os.environ.get("GONTERP_PYTHON", "python3"), "-c", "import nnterp"], capture_output=True).returncode:
        print('python -c "import nnterp"       not installed: pip install nnterp==1.3.0 nnsight==0.7.0')
    else:
        print(f'python -c "import nnterp"       {time.perf_counter() - start:6.3f} s')


if __name__ == "__main__":
    main()
