#!/usr/bin/env python3
"""Times kernels side by side: bench.py [KERNEL ...]; gonterp and python3 if none.

The kernels take turns, so that a busy machine slows all of them. Times are medians in
milliseconds; the last column is the first kernel's share of the second's.
"""
import statistics, sys, time

import zmq
from jupyter_client import KernelManager

CELLS = {
    "gonterp": {
        "trivial": "x0 := 1",
        "value": "6*7",
        "print": "fmt.Println(1)",
        "100,000 lines": 'for i := 0; i < 100000; i++ { fmt.Println("line", i) }',
        "10 MB": 'fmt.Println(strings.Repeat("x", 10<<20))',
        "endless": "for {\n}",
    },
    "python3": {
        "trivial": "x0 = 1",
        "value": "6*7",
        "print": "print(1)",
        "100,000 lines": "for i in range(100000): print('line', i)",
        "10 MB": "print('x' * (10 << 20))",
        "endless": "while True: pass",
    },
}
ROUNDS = {"start": 7, "trivial": 60, "value": 60, "print": 60, "100,000 lines": 3, "10 MB": 3, "interrupt": 5}


class Kernel:
    def __init__(self, name):
        self.name = name
        context = zmq.Context()
        context.RECONNECT_IVL = 5  # the default of 100 ms would hide the kernel's own time
        self.km = KernelManager(kernel_name=name, context=context)
        begun = time.perf_counter()
        self.km.start_kernel()
        self.kc = self.km.client()
        self.kc.start_channels(hb=False)
        self.reply(self.kc.kernel_info())
        self.started = (time.perf_counter() - begun) * 1e3
        self.kc.wait_for_ready(timeout=60)

    def reply(self, mid):
        while True:
            m = self.kc.get_shell_msg(timeout=60)
            if m["parent_header"].get("msg_id") == mid:
                return m

    def idle(self, mid):
        while True:
            m = self.kc.get_iopub_msg(timeout=60)
            if m["parent_header"].get("msg_id") == mid and m["content"].get("execution_state") == "idle":
                return

    def run(self, code):
        begun = time.perf_counter()
        mid = self.kc.execute(code)
        self.reply(mid)
        self.idle(mid)
        return (time.perf_counter() - begun) * 1e3

    def interrupt(self, code):
        mid = self.kc.execute(code)
        time.sleep(0.3)
        begun = time.perf_counter()
        self.km.interrupt_kernel()
        self.reply(mid)
        self.idle(mid)
        return (time.perf_counter() - begun) * 1e3

    def stop(self):
        self.kc.stop_channels()
        self.km.shutdown_kernel(now=True)


def main():
    names = sys.argv[1:] or ["gonterp", "python3"]
    times = {n: {k: [] for k in ROUNDS} for n in names}
    for _ in range(ROUNDS["start"]):
        for n in names:
            k = Kernel(n)
            times[n]["start"].append(k.started)
            k.stop()
    kernels = [Kernel(n) for n in names]
    for what, rounds in ROUNDS.items():
        if what == "start":
            continue
        for _ in range(rounds):
            for k in kernels:
                cells = CELLS.get(k.name, CELLS["gonterp"])
                t = k.interrupt(cells["endless"]) if what == "interrupt" else k.run(cells[what])
                times[k.name][what].append(t)
    for k in kernels:
        k.stop()
    print(f"{'':16s}" + "".join(f"{n:>12s}" for n in names))
    for what in ROUNDS:
        medians = [statistics.median(times[n][what]) for n in names]
        share = f"{medians[0] / medians[1]:12.2f}" if len(medians) > 1 else ""
        print(f"{what:16s}" + "".join(f"{m:12.1f}" for m in medians) + share)


if __name__ == "__main__":
    main()
