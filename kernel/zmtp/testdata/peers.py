"""Checks a server that echoes on its first address and publishes on its second,
with the reference implementation of ZeroMQ as the peer."""
import os, sys, threading, time
import zmq

echo, pub, pid = sys.argv[1], sys.argv[2], sys.argv[3]
context = zmq.Context()


def dealer(**options):
    s = context.socket(zmq.DEALER)
    s.linger, s.rcvtimeo, s.sndtimeo = 0, 20000, 20000
    for name, value in options.items():
        setattr(s, name, value)
    s.connect(echo)
    return s


def memory():
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024


def check(what, ok, detail=""):
    print("ok  " if ok else "FAIL", what, detail, flush=True)
    if not ok:
        sys.exit(1)


d = dealer()
kilobyte = os.urandom(1024)
start = time.time()
for i in range(1000):
    d.send_multipart([b"x", kilobyte])
    assert d.recv_multipart()[1] == kilobyte
check("round trips", True, f"{(time.time() - start) * 1e3:.0f} us each")

e = dealer(sndhwm=20000, rcvhwm=20000)
for i in range(10000):
    e.send_multipart([str(i).encode(), kilobyte])
check("10000 in a row, in order", all(e.recv_multipart() == [str(i).encode(), kilobyte] for i in range(10000)))
e.close()

big = os.urandom(50_000_000)
for i in range(4):
    d.send_multipart([b"big", big])
    assert d.recv_multipart()[1] == big
check("50 MB messages", True, f"peak {memory()} MiB")

s = context.socket(zmq.SUB)
s.linger, s.rcvtimeo, s.rcvhwm = 0, 5000, 0
s.subscribe(b"")
s.connect(pub)
other = context.socket(zmq.SUB)
other.linger, other.rcvtimeo = 0, 100
other.subscribe(b"nothing of this name")
other.connect(pub)
time.sleep(0.5)


def received(want):
    n = 0
    try:
        while n < want:
            n += int(s.recv_multipart()[1]) == n
    except zmq.Again:
        pass
    return n


d.send_multipart([b"pub", b"10000 1024"])
check("10000 published", received(10000) == 10000)
try:
    other.recv_multipart()
    check("other topics stay away", False)
except zmq.Again:
    check("other topics stay away", True)

stalled = context.socket(zmq.SUB)
stalled.linger, stalled.rcvhwm = 0, 10
stalled.subscribe(b"")
stalled.connect(pub)
time.sleep(0.5)
d.send_multipart([b"pub", b"3000 100000"])
start = time.time()
n = received(3000)
check("3000 x 100 kB beside a stalled subscriber", n == 3000, f"got {n} in {time.time() - start:.1f} s, peak {memory()} MiB")
d.send_multipart([b"x", b"alive"])
check("still echoing", d.recv_multipart()[1] == b"alive")
stalled.close()

for i in range(100):
    q = dealer()
    q.send_multipart([b"x", str(i).encode()])
    assert q.recv_multipart()[1] == str(i).encode()
    q.close()
check("100 peers come and go", True)

for i in range(10):
    q = dealer()
    time.sleep(0.02)
    for j in range(20):
        q.send_multipart([b"x", bytes(200000)])
    time.sleep(0.01)
    q.close()
d.send_multipart([b"x", b"alive"])
check("peers die with answers on their way", d.recv_multipart()[1] == b"alive")

for i in range(3):
    q = dealer(routing_id=b"the same one")
    q.send_multipart([b"x", str(i).encode()])
    check("an identity comes back", q.recv_multipart()[1] == str(i).encode())
context.destroy(0)
