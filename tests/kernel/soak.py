#!/usr/bin/env python3
"""Uses a kernel hard and says whether anything is left over.

    KERNEL_NAME=gonterp python soak.py [SECONDS]

For the given time (60 seconds if none) it runs cells, interrupts, restarts,
reconnects and sends garbage, at random. At the end it compares the kernel's threads,
descriptors and memory with what they were after the warm-up, and exits with 1 where
they have grown or an answer did not come. The random seed is printed and can be set
as SEED.
"""
import os, queue, random, socket, sys, time

import psutil
from jupyter_client.manager import start_new_kernel

NAME = os.environ.get("KERNEL_NAME", "gonterp")
SEED = int(os.environ.get("SEED", time.time_ns() % 1_000_000))
CELLS = [
    ("6*7", "ok"),
    ('fmt.Println("a line")', "ok"),
    ('for i := 0; i < 5000; i++ { fmt.Println("line", i) }', "ok"),
    ("xs := make([]float64, 1<<16)\nlen(xs)", "ok"),
    ("undefinedName", "error"),
    ('panic("on purpose")', "error"),
    ("func double(x int) int { return 2 * x }\ndouble(21)", "ok"),
    ('go func() { time.Sleep(20 * time.Millisecond); fmt.Println("late") }()', "ok"),
    ('fmt.Print(strings.Repeat("x", 1<<18))', "ok"),
]
ENDLESS = ["for {\n}", "for { time.Sleep(time.Millisecond) }", "<-make(chan int)"]


class Soak:
    def __init__(self):
        self.km, self.kc = start_new_kernel(kernel_name=NAME, startup_timeout=60)
        self.done = {}

    def run(self, code, want, interrupt=False):
        mid = self.kc.execute(code)
        if interrupt:
            time.sleep(random.uniform(0.02, 0.2))
            self.km.interrupt_kernel()
        end = time.time() + 30
        while time.time() < end:
            try:
                m = self.kc.get_shell_msg(timeout=1)
            except queue.Empty:
                continue
            if m["parent_header"].get("msg_id") == mid:
                got = m["content"]["status"]
                assert got == want, f"{code!r} ended with {m['content']}, not {want}"
                break
        else:
            raise AssertionError(f"no reply to {code!r}")
        self.idle(mid)

    def idle(self, mid):
        end = time.time() + 30
        while time.time() < end:
            try:
                m = self.kc.get_iopub_msg(timeout=1)
            except queue.Empty:
                continue
            if m["parent_header"].get("msg_id") == mid and m["content"].get("execution_state") == "idle":
                return
        raise AssertionError("no idle")

    def cell(self):
        self.run(*random.choice(CELLS))

    def interrupted(self):
        self.run(random.choice(ENDLESS), "error", interrupt=True)

    def restart(self):
        self.km.restart_kernel(now=random.random() < 0.5)
        self.reconnect()

    def reconnect(self):
        self.kc.stop_channels()
        self.kc = self.km.client()
        self.kc.start_channels()
        self.kc.wait_for_ready(timeout=30)

    def garbage(self):
        port = random.choice([self.kc.shell_port, self.kc.iopub_port, self.kc.control_port, self.kc.stdin_port, self.kc.hb_port])
        greeting = b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\x01NULL" + bytes(48)
        with socket.create_connection((self.kc.ip, port)) as s:
            try:
                s.sendall(random.choice([os.urandom(200), greeting, greeting + b"\x06" + b"\x7f" * 8, b"GET / HTTP/1.1\r\n\r\n", b""]))
            except OSError:
                pass

    def processes(self):
        supervisor = psutil.Process(self.km.provisioner.pid)
        return [supervisor] + supervisor.children(recursive=True)

    def measure(self):
        time.sleep(1)
        self.run("runtime.GC()", "ok")
        ps = self.processes()
        return {
            "processes": len(ps),
            "threads": sum(p.num_threads() for p in ps),
            "descriptors": sum(p.num_fds() for p in ps),
            "MiB": sum(p.memory_info().rss for p in ps) >> 20,
        }


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    random.seed(SEED)
    soak = Soak()
    steps = [(soak.cell, 60), (soak.interrupted, 8), (soak.garbage, 20), (soak.reconnect, 5), (soak.restart, 1)]
    # The measured stretch is one kernel's life: a restart would hide what it leaks.
    lasting = steps[:-1]
    counts = {}

    def stretch(length, choices):
        end = time.time() + length
        while time.time() < end:
            step = random.choices([s for s, _ in choices], [w for _, w in choices])[0]
            step()
            counts[step.__name__] = counts.get(step.__name__, 0) + 1

    stretch(seconds * 0.2, steps)
    stretch(seconds * 0.2, lasting)
    before = soak.measure()
    cells = sum(counts.values())
    stretch(seconds * 0.6, lasting)
    after = soak.measure()
    cells = sum(counts.values()) - cells
    soak.kc.stop_channels()
    left = soak.processes()
    soak.km.shutdown_kernel()
    _, alive = psutil.wait_procs(left, timeout=5)
    print("seed", SEED, "steps", counts)
    print("before", before)
    print("after ", after, flush=True)
    # Go starts threads as its scheduler likes, and collects memory when it has use
    # for it: both settle, so they may differ by a little but not grow on. A session
    # keeps the code of every cell, which later cells may call: that is what a step may cost.
    slack = {"processes": 0, "threads": 12, "descriptors": 4, "MiB": 48 + before["MiB"] // 4 + cells * 32 // 1024}
    grown = [k for k in before if after[k] > before[k] + slack[k]]
    for k in grown:
        print(f"FAIL {k} grew from {before[k]} to {after[k]}")
    for p in alive:
        print(f"FAIL process {p} outlived the kernel")
    return 1 if grown or alive else 0


if __name__ == "__main__":
    sys.exit(main())
