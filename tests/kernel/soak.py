#!/usr/bin/env python3
"""Uses a kernel hard and says whether anything is left over.

    KERNEL_NAME=gonterp python soak.py [SECONDS]

For the given time (60 seconds if none) it runs cells, interrupts, restarts, kills
workers, reconnects, completes, inspects and sends garbage, at random. At the end it
compares goroutines, threads, descriptors and memory with what they were after the
warm-up, and exits with 1 where they have grown or an answer did not come. The random
seed is printed and can be set as SEED; PAUSE is how many seconds to rest after each step.
"""
import os, queue, random, socket, sys, time

import psutil
from jupyter_client.manager import start_new_kernel

NAME = os.environ.get("KERNEL_NAME", "gonterp")
SEED = int(os.environ.get("SEED", time.time_ns() % 1_000_000))
PAUSE = float(os.environ.get("PAUSE", 0))
CELLS = [
    ("6*7", "ok"),
    ("x := NUMBER", "ok"),
    ("x := NUMBER\ny := fmt.Sprint(x)\ny", "ok"),
    ('fmt.Println("a line")', "ok"),
    ('for i := 0; i < 5000; i++ { fmt.Println("line", i) }', "ok"),
    ("xs := make([]float64, 1<<16)\nlen(xs)", "ok"),
    ("undefinedName", "error"),
    ('panic("on purpose")', "error"),
    ("func double(x int) int { return 2 * x }\ndouble(NUMBER)", "ok"),
    ("func even(n int) bool { return n == 0 || odd(n-1) }\nfunc odd(n int) bool { return n > 0 && even(n-1) }\neven(NUMBER)", "ok"),
    ("func odd(n int) bool { return n > NUMBER && even(n-1) }", "ok"),
    ("later := func() int { return NUMBER }\nlater()", "ok"),
    ("type Point struct{ X, Y int }\nfunc (p Point) Sum() int { return p.X + p.Y + NUMBER }\nPoint{1, 2}.Sum()", "ok"),
    ("func first[T any](xs ...T) T { return xs[0] }\nfirst(NUMBER, 1)", "ok"),
    ("ch := make(chan int)\ngo func() { ch <- NUMBER }()\n<-ch", "ok"),
    ('go func() { time.Sleep(20 * time.Millisecond); fmt.Println("late") }()', "ok"),
    ('fmt.Print(strings.Repeat("x", 1<<18))', "ok"),
]
ENDLESS = ["for {\n}", "for { time.Sleep(time.Millisecond) }", "<-make(chan int)"]


class Soak:
    def __init__(self):
        self.km, self.kc = start_new_kernel(kernel_name=NAME, startup_timeout=60)
        self.done = {}

    def run(self, code, want, interrupt=False):
        code = code.replace("NUMBER", str(random.randrange(100)))
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
        return self.idle(mid)

    def idle(self, mid):
        """Waits for the end of a request and gives the value that it showed."""
        end, value = time.time() + 30, None
        while time.time() < end:
            try:
                m = self.kc.get_iopub_msg(timeout=1)
            except queue.Empty:
                continue
            if m["parent_header"].get("msg_id") != mid:
                continue
            if m["msg_type"] == "execute_result":
                value = m["content"]["data"]["text/plain"]
            if m["content"].get("execution_state") == "idle":
                return value
        raise AssertionError("no idle")

    def cell(self):
        self.run(*random.choice(CELLS))

    def interrupted(self):
        self.run(random.choice(ENDLESS), "error", interrupt=True)

    def death(self):
        self.run("syscall.Kill(syscall.Getpid(), syscall.SIGKILL)\ntime.Sleep(time.Second)", "error")

    def look(self):
        ask = random.choice([lambda: self.kc.complete("fmt.Pri"), lambda: self.kc.inspect("strings.Repeat")])
        self.idle(ask())

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
        self.run("runtime.GC()\nruntime.GC()", "ok")
        text = self.run("memory := runtime.MemStats{}\nruntime.ReadMemStats(&memory)\nfmt.Sprint(runtime.NumGoroutine(), \" \", memory.HeapAlloc>>10)", "ok")
        goroutines, heap = text.strip('"').split()
        ps = self.processes()
        return {
            "processes": len(ps),
            "goroutines of the worker": int(goroutines),
            "KiB of the worker's heap": int(heap),
            "threads": sum(p.num_threads() for p in ps),
            "descriptors": sum(p.num_fds() for p in ps),
            "descriptors of the supervisor": ps[0].num_fds(),
            "MiB": sum(p.memory_info().rss for p in ps) >> 20,
            "MiB of the supervisor": ps[0].memory_info().rss >> 20,
        }


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    random.seed(SEED)
    print("seed", SEED, flush=True)
    soak = Soak()
    lasting = [(soak.cell, 60), (soak.interrupted, 8), (soak.garbage, 20), (soak.look, 10), (soak.reconnect, 5)]
    counts = {}

    def stretch(part, choices):
        end = time.time() + seconds * part
        while time.time() < end:
            step = random.choices([s for s, _ in choices], [w for _, w in choices])[0]
            step()
            counts[step.__name__] = counts.get(step.__name__, 0) + 1
            time.sleep(PAUSE)

    def measured(when):
        m = soak.measure()
        print(f"{when:7}", m, flush=True)
        return m

    # The measured stretch is one worker's life: its end would hide what it leaks.
    stretch(0.2, lasting + [(soak.death, 1), (soak.restart, 1)])
    stretch(0.1, lasting)
    before, cells = measured("before"), counts["cell"]
    stretch(0.3, lasting)
    measured("middle")
    stretch(0.3, lasting)
    after, cells = measured("after"), counts["cell"] - cells
    stretch(0.1, lasting + [(soak.death, 10)])
    last = measured("deaths")
    soak.kc.stop_channels()
    left = soak.processes()
    soak.km.shutdown_kernel()
    _, alive = psutil.wait_procs(left, timeout=5)
    print("steps", counts, flush=True)
    # Go starts threads as its scheduler likes, and collects memory when it has use
    # for it: both settle, so they may differ by a little but not grow on. A cell may
    # cost what the history keeps of it.
    kept = cells // 1024
    slack = {
        "processes": 0, "goroutines of the worker": 4, "KiB of the worker's heap": 1024 + cells, "threads": 12,
        "descriptors": 4, "descriptors of the supervisor": 2, "MiB": 32 + kept, "MiB of the supervisor": 16 + kept,
    }
    of_supervisor = [k for k in before if k.endswith("of the supervisor")]
    failed = [f"FAIL {k} grew from {before[k]} to {after[k]}" for k in before if after[k] > before[k] + slack[k]]
    failed += [f"FAIL {k} grew from {after[k]} to {last[k]} with the workers' deaths" for k in of_supervisor if last[k] > after[k] + slack[k]]
    failed += [f"FAIL process {p} outlived the kernel" for p in alive]
    for f in failed:
        print(f)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
