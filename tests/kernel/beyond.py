#!/usr/bin/env python3
"""What gonterp's kernel does beyond conformance.py's suite: beyond.py [PREFIX].

Comms in both directions, subshells that run at once, and how the kernel bears front
ends that misbehave. PREFIX selects tests by how their name starts.
"""
import json, os, queue, sys, tempfile, threading, time, unittest

import zmq
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

NAME = os.environ.get("KERNEL_NAME", "gonterp")


class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.km, cls.kc = start_new_kernel(kernel_name=NAME, startup_timeout=30)

    @classmethod
    def tearDownClass(cls):
        cls.kc.stop_channels()
        cls.km.shutdown_kernel(now=True)

    def setUp(self):
        for get in (self.kc.get_shell_msg, self.kc.get_iopub_msg, self.kc.get_control_msg):
            while True:
                try:
                    get(timeout=0.05)
                except queue.Empty:
                    break

    def send(self, typ, content, channel="shell", subshell=None, buffers=None, metadata=None, client=None):
        kc = client or self.kc
        msg = kc.session.msg(typ, content, metadata=metadata)
        if subshell:
            msg["header"]["subshell_id"] = subshell
        kc.session.send(getattr(kc, channel + "_channel").socket, msg, buffers=buffers)
        return msg["header"]["msg_id"]

    def reply(self, mid, channel="shell", timeout=10, client=None):
        kc = client or self.kc
        get = {"shell": kc.get_shell_msg, "control": kc.get_control_msg}[channel]
        end = time.time() + timeout
        while time.time() < end:
            try:
                m = get(timeout=max(0.01, end - time.time()))
            except queue.Empty:
                break
            if m["parent_header"].get("msg_id") == mid:
                return m
        self.fail(f"no reply to {mid}")

    def shown(self, mid, timeout=10, until="idle"):
        """What belongs to a request, until its idle or a message of a type."""
        all, end = [], time.time() + timeout
        while time.time() < end:
            try:
                m = self.kc.get_iopub_msg(timeout=max(0.01, end - time.time()))
            except queue.Empty:
                break
            if mid and m["parent_header"].get("msg_id") != mid:
                continue
            all.append(m)
            if m["content"].get("execution_state") == until or m["msg_type"] == until:
                return all
        self.fail(f"no {until} of {mid}: {[m['msg_type'] for m in all]}")

    def run_cell(self, code, subshell=None, **more):
        content = dict(code=code, silent=False, store_history=True, user_expressions={}, allow_stdin=False, stop_on_error=True)
        content.update(more)
        mid = self.send("execute_request", content, subshell=subshell)
        return self.reply(mid)["content"], self.shown(mid)

    def ok(self, code, **more):
        content, io = self.run_cell(code, **more)
        self.assertEqual(content["status"], "ok", content)
        return io

    def text(self, io):
        return "".join(m["content"]["text"] for m in io if m["msg_type"] == "stream")

    def of(self, io, typ):
        return [m for m in io if m["msg_type"] == typ]


class Comms(Kernel):
    def test_a_client_opens_one(self):
        self.ok("""comm.Register("add", func(c *comm.Comm, first comm.Message) {
            fmt.Println("opened with", first.Data.(map[string]any)["start"])
            c.OnMessage(func(m comm.Message) {
                var in struct{ A, B float64 }
                if err := m.Decode(&in); err != nil { panic(err) }
                var reversed []byte
                for _, b := range m.Buffers[0] { reversed = append([]byte{b}, reversed...) }
                c.Send(map[string]any{"sum": in.A + in.B, "version": m.Metadata["version"]}, comm.Buffers(reversed, nil), comm.Metadata(map[string]any{"x": 1}))
                fmt.Println("added")
            })
            c.OnClose(func(last comm.Message) { fmt.Println("closed", last.Data) })
        })""")
        mid = self.send("comm_open", {"comm_id": "c1", "target_name": "add", "data": {"start": 3}})
        self.assertEqual(self.text(self.shown(mid)), "opened with 3\n")
        info = self.reply(self.send("comm_info_request", {"target_name": "add"}))["content"]
        self.assertEqual(info["comms"], {"c1": {"target_name": "add"}})

        mid = self.send("comm_msg", {"comm_id": "c1", "data": {"A": 2, "B": 40}}, buffers=[b"\x00\x01\xff"], metadata={"version": "7"})
        io = self.shown(mid)
        [m] = self.of(io, "comm_msg")
        self.assertEqual(m["content"]["data"], {"sum": 42, "version": "7"})
        self.assertEqual(m["metadata"], {"x": 1})
        self.assertEqual([bytes(b) for b in m["buffers"]], [b"\xff\x01\x00", b""])
        self.assertEqual(self.text(io), "added\n")

        # A handler that panics is told of, with its line, and the comm stays.
        mid = self.send("comm_msg", {"comm_id": "c1", "data": {"A": 2, "B": 40}})
        [e] = self.of(self.shown(mid), "error")
        self.assertIn("index out of range", e["content"]["evalue"])
        self.assertIn("line 7", "\n".join(e["content"]["traceback"]))
        mid = self.send("comm_close", {"comm_id": "c1", "data": "bye"})
        self.assertEqual(self.text(self.shown(mid)), "closed bye\n")
        info = self.reply(self.send("comm_info_request", {}))["content"]
        self.assertEqual(info["comms"], {})

    def test_b_cell_opens_one(self):
        io = self.ok("""line, err := comm.Open("chart", map[string]any{"title": "loss"}, comm.Buffers([]byte{1, 2}))
            if err != nil { panic(err) }
            got := 0
            line.OnMessage(func(m comm.Message) { got += int(m.Data.(float64)); Display(display.Markdown(fmt.Sprint("*", got, "*"))) })
            line.Send([]float64{0.5, 0.25})""")
        self.assertEqual([m["msg_type"] for m in io if m["msg_type"].startswith("comm")], ["comm_open", "comm_msg"])
        [opened], [sent] = self.of(io, "comm_open"), self.of(io, "comm_msg")
        self.assertEqual((opened["content"]["target_name"], opened["content"]["data"]), ("chart", {"title": "loss"}))
        self.assertEqual([bytes(b) for b in opened["buffers"]], [b"\x01\x02"])
        self.assertEqual(sent["content"], {"comm_id": opened["content"]["comm_id"], "data": [0.5, 0.25]})
        mid = self.send("comm_msg", {"comm_id": opened["content"]["comm_id"], "data": 41})
        [d] = self.of(self.shown(mid), "display_data")
        self.assertEqual(d["content"]["data"]["text/markdown"], "*41*")
        self.assertEqual(self.text(self.ok("fmt.Print(got)")), "41")
        io = self.ok('line.Close("done"); fmt.Print(line.Send(1), len(comm.List()))')
        [closed] = self.of(io, "comm_close")
        self.assertEqual(closed["content"]["data"], "done")
        self.assertEqual(self.text(io), "this comm is closed 0")

    def test_c_messages_wait_for_the_cell_and_keep_their_order(self):
        self.ok('var seen []float64\ncomm.Register("seen", func(c *comm.Comm, _ comm.Message) { c.OnMessage(func(m comm.Message) { seen = append(seen, m.Data.(float64)) }) })')
        self.shown(self.send("comm_open", {"comm_id": "s", "target_name": "seen", "data": {}}))
        cell = self.send("execute_request", {"code": "time.Sleep(500 * time.Millisecond)\nfmt.Print(len(seen))", "silent": False})
        for i in range(200):
            last = self.send("comm_msg", {"comm_id": "s", "data": i})
        self.assertEqual(self.text(self.shown(cell)), "0")
        self.shown(last)
        self.assertEqual(self.text(self.ok("fmt.Print(len(seen), seen[0], seen[199])")), "200 0 199")

    def test_d_unknown_targets_and_ids(self):
        io = self.shown(self.send("comm_open", {"comm_id": "u", "target_name": "nowhere", "data": {}}))
        self.assertEqual([m["content"]["comm_id"] for m in self.of(io, "comm_close")], ["u"])
        io = self.shown(self.send("comm_msg", {"comm_id": "nobody", "data": {}}))
        self.assertEqual(len(io), 2)
        self.ok('comm.Register("bad", func(*comm.Comm, comm.Message) { var p *int; *p = 1 })')
        io = self.shown(self.send("comm_open", {"comm_id": "b", "target_name": "bad", "data": {}}))
        self.assertEqual([m["msg_type"] for m in io[1:-1]], ["comm_close", "error"])
        self.assertIn("nil pointer", io[2]["content"]["evalue"])

    def test_e_handler_is_interrupted(self):
        self.ok('comm.Register("loop", func(c *comm.Comm, _ comm.Message) { c.OnMessage(func(comm.Message) { for {} }) })')
        self.shown(self.send("comm_open", {"comm_id": "l", "target_name": "loop", "data": {}}))
        mid = self.send("comm_msg", {"comm_id": "l", "data": {}})
        time.sleep(0.3)
        self.reply(self.send("interrupt_request", {}, "control"), "control")
        [e] = self.of(self.shown(mid), "error")
        self.assertEqual(e["content"]["ename"], "interrupted")
        self.ok("1")

    def test_f_a_goroutine_sends(self):
        io = self.ok('g, _ := comm.Open("late", nil)\ngo func() { time.Sleep(200 * time.Millisecond); g.Send("late") }()')
        [opened] = self.of(io, "comm_open")
        m = self.shown(opened["parent_header"]["msg_id"], until="comm_msg")[-1]
        self.assertEqual(m["content"]["data"], "late")


class Subshells(Kernel):
    def subshell(self):
        return self.reply(self.send("create_subshell_request", {}, "control"), "control")["content"]["subshell_id"]

    def test_a_two_cells_at_once(self):
        sub = self.subshell()
        self.ok('ch := make(chan string)')
        main = self.send("execute_request", {"code": 's := <-ch\nfmt.Println("main got", s)', "silent": False})
        time.sleep(0.2)
        content, io = self.run_cell('ch <- "hello"\nfmt.Print("sent")', subshell=sub)
        self.assertEqual((content["status"], self.text(io)), ("ok", "sent"))
        self.assertEqual(self.reply(main)["content"]["status"], "ok")
        content, io = self.run_cell("s", subshell=sub)
        self.assertEqual(self.of(io, "execute_result")[0]["content"]["data"]["text/plain"], '"hello"')

    def test_b_interrupts(self):
        sub = self.subshell()
        main = self.send("execute_request", {"code": "for {}", "silent": False})
        time.sleep(0.2)
        other = self.send("execute_request", {"code": "for {}", "silent": False}, subshell=sub)
        time.sleep(0.3)
        msg = self.kc.session.msg("interrupt_request", {})
        msg["header"]["subshell_id"] = sub
        self.kc.control_channel.send(msg)
        self.assertEqual(self.reply(other)["content"]["ename"], "interrupted")
        content, io = self.run_cell("6*7", subshell=sub)
        self.assertEqual(content["status"], "ok")
        self.reply(self.send("interrupt_request", {}, "control"), "control")
        self.assertEqual(self.reply(main)["content"]["ename"], "interrupted")

    def test_c_traces_at_once(self):
        sub = self.subshell()
        self.ok('model := gonterp.Load("mini")')
        code = 'last%s := 0.0\nfor range 12 { out := model.Forward("The quick brown fox"); last%s = out.Sum().Item() }\nlast%s'
        a, b = code.replace("%s", "A"), code.replace("%s", "B")
        main = self.send("execute_request", {"code": a, "silent": False})
        other = self.send("execute_request", {"code": b, "silent": False}, subshell=sub)
        got = {}
        for _ in range(2):
            m = self.kc.get_shell_msg(timeout=60)
            got[m["parent_header"]["msg_id"]] = m["content"]
        for mid in (main, other):
            self.assertEqual(got[mid]["status"], "ok", got[mid].get("traceback"))
        self.assertEqual(self.text(self.ok("fmt.Print(lastA == lastB)")), "true")

    def test_d_interrupt_of_a_trace_is_nothing_to_another(self):
        sub = self.subshell()
        self.ok('model := gonterp.Load("mini")')
        main = self.send("execute_request", {"code": "n := 0\nfor { model.Forward(\"The quick brown fox\"); n++ }", "silent": False})
        other = self.send("execute_request", {"code": "k := 0\nfor range 150 { model.Forward(\"The quick brown fox\"); k++ }\nk", "silent": False}, subshell=sub)
        time.sleep(0.3)
        self.reply(self.send("interrupt_request", {}, "control"), "control")
        got = {}
        for _ in range(2):
            m = self.kc.get_shell_msg(timeout=60)
            got[m["parent_header"]["msg_id"]] = m["content"]
        self.assertEqual(got[main]["ename"], "interrupted", got[main])
        self.assertEqual(got[other]["status"], "ok", got[other].get("traceback"))


if __name__ == "__main__":
    prefix = sys.argv[1] if len(sys.argv) > 1 else "test"
    loader = unittest.TestLoader()
    loader.testMethodPrefix = prefix
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(c) for c in (Comms, Subshells))
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
