#!/usr/bin/env python3
"""Conformance tests for one Jupyter kernel.

    KERNEL_NAME=gonterp python conformance.py [PREFIX]

prints a line a test and a JSON line a suite, and exits with 1 where one fails or
errs. PREFIX selects tests by how their name starts: test_c, say. JUPYTER_PATH says
where the kernel is installed. KERNEL_NAME=python3 tests ipykernel with the same
tests, which shows what the reference does.

Upstream is jupyter_kernel_test with samples of the kernel's language. Strict is what
the messaging specification and the use of a notebook ask for beyond that.
"""
import json, os, queue, re, signal, subprocess, sys, threading, time, unittest

import jupyter_kernel_test as jkt
import psutil, zmq
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

import samples

NAME = os.environ.get("KERNEL_NAME", "gonterp")
PYT = NAME == "python3"
S = samples.PYTHON if PYT else samples.GO
SETUP = '' if PYT else 'import "fmt"\nimport "strings"'
# The suite refuses two keys that jupyter_client itself adds to messages.
_vm = jkt.validate_message
jkt.validate_message = lambda msg, *a, **k: _vm({x: y for x, y in msg.items() if x not in ('msg_id', 'msg_type')} if msg else msg, *a, **k)

class Upstream(jkt.KernelTests):
    kernel_name = NAME
    language_name = 'python' if PYT else 'go'
    file_extension = '.py' if PYT else '.go'
    code_hello_world = S['hello']
    code_stderr = S['stderr']
    completion_samples = S['compl']
    complete_code_samples, incomplete_code_samples, invalid_code_samples = (S['complete'], S['incomplete'], S['invalid'])
    code_page_something = S['page']
    code_generate_error = S['err']
    code_execute_result = S['result']
    code_display_data = S['display']
    code_inspect_sample = S['inspect']
    code_clear_output = S['clear']
    supported_history_operations = ('tail', 'range', 'search')
    code_history_pattern = '60?7'

    def setUp(self):
        if SETUP:
            self.kc.execute_interactive(SETUP, timeout=20, output_hook=lambda m: None)

    def get_non_kernel_info_reply(self, timeout=None):
        return super().get_non_kernel_info_reply(timeout=timeout or 20)

class Strict(unittest.TestCase):
    km = kc = None

    @classmethod
    def boot(cls):
        cls.down()
        cls.km, cls.kc = start_new_kernel(kernel_name=NAME, startup_timeout=30)
        if SETUP:
            cls.kc.execute_interactive(SETUP, timeout=20, output_hook=lambda m: None)

    @classmethod
    def down(cls):
        if cls.km:
            try:
                cls.kc.stop_channels()
                cls.km.shutdown_kernel(now=True)
            except Exception:
                pass
        cls.km = cls.kc = None

    @classmethod
    def tearDownClass(cls):
        cls.down()

    def setUp(self):
        if not self.km or not self.km.is_alive():
            self.boot()
        try:
            self.drain()
            self.kc.kernel_info()
            self.kc.get_shell_msg(timeout=5)
        except queue.Empty:
            self.boot()
        self.drain()

    def drain(self):
        for ch in (self.kc.get_shell_msg, self.kc.get_iopub_msg, self.kc.get_control_msg):
            while True:
                try:
                    ch(timeout=0.08)
                except queue.Empty:
                    break

    def wait(self, mid, timeout=15, need_reply=True):
        """collect reply + iopub of one request until idle"""
        r = {'reply': None, 'io': [], 'idle': False}
        end = time.time() + timeout
        p = zmq.Poller()
        sh, io, sd = (self.kc.shell_channel.socket, self.kc.iopub_channel.socket, self.kc.stdin_channel.socket)
        for s in (sh, io):
            p.register(s, zmq.POLLIN)
        while time.time() < end and (not (r['idle'] and (r['reply'] or not need_reply))):
            ev = dict(p.poll(50))
            if sh in ev:
                m = self.kc.get_shell_msg(timeout=1)
                if m['parent_header'].get('msg_id') == mid:
                    r['reply'] = m
            if io in ev:
                m = self.kc.get_iopub_msg(timeout=1)
                if m['parent_header'].get('msg_id') == mid:
                    r['io'].append(m)
                    r['idle'] |= m['msg_type'] == 'status' and m['content']['execution_state'] == 'idle'
        return r

    def ex(self, code, timeout=15, **kw):
        return self.wait(self.kc.execute(code, **kw), timeout)

    def out(self, r, k='stdout'):
        return ''.join((m['content']['text'] for m in r['io'] if m['msg_type'] == 'stream' and m['content']['name'] == k))

    def ok(self, r):
        self.assertIsNotNone(r['reply'], 'no execute_reply')
        self.assertEqual(r['reply']['content']['status'], 'ok', str(r['reply']['content'])[:300])
        self.assertTrue(r['idle'], 'no idle')
        return r

    def types(self, r):
        return [m['msg_type'] for m in r['io']]

    def req(self, typ, content, channel='shell', timeout=3):
        msg = self.kc.session.msg(typ, content)
        ch = getattr(self.kc, channel + '_channel')
        ch.send(msg)
        mid = msg['header']['msg_id']
        end = time.time() + timeout
        get = {'shell': self.kc.get_shell_msg, 'control': self.kc.get_control_msg}[channel]
        while time.time() < end:
            try:
                m = get(timeout=0.2)
            except queue.Empty:
                continue
            if m['parent_header'].get('msg_id') == mid:
                return m
        return None

    def test_a01_kernel_info_fields(self):
        c = self.req('kernel_info_request', {})['content']
        li = c['language_info']
        self.assertEqual(c['status'], 'ok')
        self.assertTrue(tuple(map(int, c['protocol_version'].split('.'))) >= (5, 3), c['protocol_version'])
        for k in ('name', 'version', 'mimetype', 'file_extension'):
            self.assertTrue(li.get(k), 'language_info.' + k)

    def test_a02_is_complete_replies(self):
        self.assertIsNotNone(self.req('is_complete_request', {'code': 'x'}))

    def test_a03_history_replies(self):
        self.assertIsNotNone(self.req('history_request', {'output': False, 'raw': True, 'hist_access_type': 'tail', 'n': 5}))

    def test_a04_comm_info_replies(self):
        self.assertIsNotNone(self.req('comm_info_request', {}))

    def test_a05_unknown_msg_then_alive(self):
        self.req('no_such_request', {}, timeout=0.5)
        self.ok(self.ex(S['okout']))

    def test_a06_control_kernel_info_on_control(self):
        self.assertIsNotNone(self.req('kernel_info_request', {}, 'control'))

    def test_a07_interrupt_request_reply_on_control(self):
        self.assertIsNotNone(self.req('interrupt_request', {}, 'control'))

    def test_a08_busy_idle_around_every_request(self):
        bad = []
        for t, c in (('kernel_info_request', {}), ('complete_request', {'code': 'fm', 'cursor_pos': 2}), ('comm_info_request', {}), ('is_complete_request', {'code': 'x'}), ('inspect_request', {'code': 'fmt', 'cursor_pos': 3, 'detail_level': 0})):
            msg = self.kc.session.msg(t, c)
            self.kc.shell_channel.send(msg)
            r = self.wait(msg['header']['msg_id'], 4, need_reply=False)
            st = [m['content']['execution_state'] for m in r['io'] if m['msg_type'] == 'status']
            if st != ['busy', 'idle']:
                bad.append((t, st))
        self.assertEqual(bad, [])

    def test_a09_bad_signature_dropped_kernel_survives(self):
        s = self.kc.session
        key = s.key
        s.key = b'wrong-key'
        try:
            self.kc.shell_channel.send(s.msg('kernel_info_request', {}))
        finally:
            s.key = key
        time.sleep(0.3)
        self.ok(self.ex(S['okout']))

    def test_a10_garbage_frames_kernel_survives(self):
        self.kc.shell_channel.socket.send_multipart([b'garbage'])
        time.sleep(0.3)
        self.assertTrue(self.km.is_alive(), 'kernel died')
        self.ok(self.ex(S['okout']))

    def test_a11_heartbeat_while_busy(self):
        sk = self.kc.context.socket(zmq.REQ)
        sk.linger = 0
        sk.connect(f'tcp://{self.kc.ip}:{self.kc.hb_port}')
        mid = self.kc.execute(S['sleep'])
        time.sleep(0.6)
        try:
            sk.send(b'ping')
            self.assertTrue(sk.poll(1000), 'no heartbeat while busy')
            self.assertEqual(sk.recv(), b'ping')
        finally:
            sk.close()
            self.boot()

    def test_a12_shutdown_reply_on_control_and_exit(self):
        m = self.req('shutdown_request', {'restart': False}, 'control')
        end = time.time() + 5
        while time.time() < end and self.km.is_alive():
            time.sleep(0.05)
        alive = self.km.is_alive()
        self.down()
        self.assertFalse(alive, 'did not exit')
        self.assertIsNotNone(m, 'no shutdown_reply on control')

    def test_a13_two_clients(self):
        k2 = BlockingKernelClient(connection_file=self.km.connection_file)
        k2.load_connection_file()
        k2.session.session = 'client-two'
        k2.start_channels()
        k2.wait_for_ready(timeout=10)
        try:
            mid = k2.execute(S['okout'])
            end = time.time() + 8
            rep = False
            while time.time() < end and (not rep):
                try:
                    rep = k2.get_shell_msg(timeout=0.3)['parent_header'].get('msg_id') == mid
                except queue.Empty:
                    pass
            r = self.wait(mid, 5, need_reply=False)
            self.assertTrue(rep, '2nd client got no reply')
            self.assertIn('after', self.out(r))
            self.assertIsNone(r['reply'], 'reply leaked to client 1')
        finally:
            k2.stop_channels()

    def test_a14_header_dates_and_ids(self):
        r = self.ok(self.ex(S['okout']))
        ids = [m['header']['msg_id'] for m in r['io']]
        self.assertEqual(len(ids), len(set(ids)))
        for m in r['io']:
            self.assertTrue(m['header']['version'])
            self.assertTrue(hasattr(m['header']['date'], 'year'))
            self.assertIsNotNone(m['header']['date'].tzinfo)

    def test_a15_debug_request_answered_or_ignored(self):
        self.req('debug_request', {'seq': 1, 'type': 'request', 'command': 'debugInfo', 'arguments': {}}, 'control', 1.5)
        self.ok(self.ex(S['okout']))

    def test_a16_subshells_jep91(self):
        m = self.req('create_subshell_request', {}, 'control', 2)
        self.assertIsNotNone(m)
        self.assertEqual(m['content'].get('status'), 'ok')

    def test_a17_orphan_exits_when_parent_dies(self):
        code = 'import sys,time\nfrom jupyter_client.manager import start_new_kernel\nkm,kc=start_new_kernel(kernel_name=%r)\nprint(km.provisioner.pid,flush=True)\ntime.sleep(60)' % NAME
        p = subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        pid = int(next((l for l in p.stdout if l.strip().isdigit())))
        p.kill()
        p.wait()
        end = time.time() + 6
        alive = True
        while time.time() < end and alive:
            alive = psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
            time.sleep(0.2)
        if alive:
            os.kill(pid, signal.SIGKILL)
        self.assertFalse(alive, 'orphan kernel still running after 6 s')

    def test_a18_reconnect_same_identity(self):
        self.kc.stop_channels()
        type(self).kc = self.km.client()
        self.kc.start_channels()
        time.sleep(0.5)
        r = self.ex(S['okout'], timeout=6)
        if not r['reply']:
            self.boot()
        self.assertIsNotNone(r['reply'], 'no reply after the same client reconnected')

    def test_b01_silent(self):
        n0 = self.ok(self.ex(S['okout']))['reply']['content'].get('execution_count')
        r = self.ex(S['okout'], silent=True)
        self.assertEqual(r['reply']['content']['status'], 'ok')
        self.assertNotIn('execute_input', self.types(r))
        self.assertNotIn('execute_result', self.types(r))
        n1 = self.ok(self.ex(S['okout']))['reply']['content'].get('execution_count')
        self.assertEqual(n1, n0 + 1)

    def test_b02_store_history_false(self):
        n0 = self.ok(self.ex(S['okout']))['reply']['content']['execution_count']
        r = self.ex(S['okout'], store_history=False)
        self.assertIn('execution_count', r['reply']['content'])
        self.assertEqual(self.ok(self.ex(S['okout']))['reply']['content']['execution_count'], n0 + 1)

    def test_b03_user_expressions(self):
        r = self.ok(self.ex(S['okout'], user_expressions={'a': S['user_expr']}))
        a = r['reply']['content']['user_expressions'].get('a')
        self.assertTrue(a, 'empty user_expressions')
        self.assertIn('42', json.dumps(a))

    def _queue(self, **kw):
        m1 = self.kc.execute(S['err'], **kw)
        m2 = self.kc.execute(S['okout'])
        got = {}
        end = time.time() + 15
        while time.time() < end and len(got) < 2:
            try:
                m = self.kc.get_shell_msg(timeout=0.5)
            except queue.Empty:
                continue
            got[m['parent_header']['msg_id']] = m['content']['status']
        return (got.get(m1), got.get(m2))

    def test_b04_stop_on_error_aborts_queue(self):
        self.assertEqual(self._queue(), ('error', 'aborted'))

    def test_b05_stop_on_error_false_continues(self):
        self.assertEqual(self._queue(stop_on_error=False), ('error', 'ok'))

    def test_b06_empty_cell(self):
        self.ok(self.ex(''))

    def test_b07_comment_cell(self):
        self.ok(self.ex(S['comment']))

    def test_b08_crlf_cell(self):
        self.assertIn('1', self.out(self.ok(self.ex(S['crlf']))))

    def test_b09_execute_input_echo_and_count(self):
        r = self.ok(self.ex(S['okout']))
        i = [m['content'] for m in r['io'] if m['msg_type'] == 'execute_input']
        self.assertEqual(len(i), 1)
        self.assertEqual(i[0]['code'], S['okout'])
        self.assertEqual(i[0]['execution_count'], r['reply']['content']['execution_count'])

    def test_b10_error_fields(self):
        r = self.ex(S['err'])
        c = r['reply']['content']
        self.assertEqual(c['status'], 'error')
        for k in ('ename', 'evalue'):
            self.assertTrue(c.get(k), k)
        self.assertIsInstance(c.get('traceback'), list)
        self.assertNotEqual(c['ename'], 'ERROR', 'ename is a constant')
        self.assertIn('error', self.types(r))

    def _intr(self, code):
        self.ok(self.ex(S['set']))
        mid = self.kc.execute(code)
        time.sleep(1.2)
        t = time.time()
        self.km.interrupt_kernel()
        r = self.wait(mid, 6)
        dt = time.time() - t
        if not self.km.is_alive() or not r['idle']:
            self.boot()
            self.fail('kernel died' if not r['idle'] and (not r['reply']) else 'no idle')
        self.assertEqual(r['reply']['content']['status'], 'error')
        self.assertLess(dt, 2)
        self.assertIn('42', self.out(self.ok(self.ex(S['use']))), 'state lost')

    def test_c01_interrupt_sleep_loop(self):
        self._intr(S['sleep'])

    def test_c02_interrupt_spin_loop(self):
        self._intr(S['spin'])

    def test_c03_interrupt_blocked_channel(self):
        self._intr(S['chan'])

    def test_c04_interrupt_when_idle_is_harmless(self):
        self.km.interrupt_kernel()
        time.sleep(0.5)
        self.assertTrue(self.km.is_alive(), 'kernel died')
        self.ok(self.ex(S['okout']))

    def test_c05_panic_in_goroutine_keeps_kernel(self):
        self.ok(self.ex(S['set']))
        r = self.ex(S['gopanic'], timeout=5)
        time.sleep(0.3)
        self.assertTrue(self.km.is_alive(), 'kernel died')
        self.assertTrue(r['idle'])
        self.assertIn('42', self.out(self.ok(self.ex(S['use']))))

    def test_c06_os_exit_keeps_kernel(self):
        self.ex(S['exit'], timeout=4)
        time.sleep(0.3)
        self.assertTrue(self.km.is_alive(), 'kernel died')
        self.ok(self.ex(S['okout']))

    def test_c07_restart_clears_state(self):
        self.ok(self.ex(S['set']))
        self.km.restart_kernel(now=False)
        self.kc.stop_channels()
        type(self).kc = self.km.client()
        self.kc.start_channels()
        self.kc.wait_for_ready(timeout=20)
        self.assertEqual(self.ex(S['use'])['reply']['content']['status'], 'error')

    def test_d01_last_expr_value(self):
        self.ok(self.ex(S['set']))
        r = self.ok(self.ex(S['expr']))
        v = [m['content']['data'].get('text/plain') for m in r['io'] if m['msg_type'] == 'execute_result']
        self.assertEqual(v, ['42'])

    def test_d02_println_has_no_result_noise(self):
        r = self.ok(self.ex(S['println']))
        self.assertNotIn('execute_result', self.types(r), [m['content'].get('data') for m in r['io'] if m['msg_type'] == 'execute_result'])

    def test_d03_20k_lines_intact(self):
        self.assertEqual(self.out(self.ok(self.ex(S['lines'], timeout=40))), ''.join((f'line {i}\n' for i in range(20000))))

    def test_d04_1MB_line(self):
        self.assertEqual(len(self.out(self.ok(self.ex(S['bigline'])))), (1 << 20) + 1)

    def test_d05_no_newline(self):
        self.assertEqual(self.out(self.ok(self.ex(S['noeol']))), 'no newline')

    def test_d06_raw_fd1_captured(self):
        self.assertIn('RAWFD', self.out(self.ok(self.ex(S['fd']))))

    def test_d07_child_process_stdout(self):
        self.assertIn('CHILD', self.out(self.ok(self.ex(S['child']))))

    def test_d08_stdout_stderr_order(self):
        r = self.ok(self.ex(S['inter']))
        t = ''.join((m['content']['text'] for m in r['io'] if m['msg_type'] == 'stream'))
        self.assertEqual(t, ''.join((f'o{i}\ne{i}\n' for i in range(5))))

    def test_d09_background_output_reaches_its_cell(self):
        mid = self.kc.execute(S['late'])
        self.wait(mid, 10)
        m2 = self.kc.execute(S['okout'])
        self.wait(m2, 10)
        end = time.time() + 2
        par = None
        while time.time() < end and par is None:
            try:
                m = self.kc.get_iopub_msg(timeout=0.2)
            except queue.Empty:
                continue
            if m['msg_type'] == 'stream' and 'LATE' in m['content']['text']:
                par = m['parent_header'].get('msg_id')
        self.assertIsNotNone(par, 'output lost')
        self.assertEqual(par, mid, 'output went to another cell')

    def test_d10_all_output_before_idle(self):
        for _ in range(10):
            r = self.ok(self.ex(S['okout']))
            self.assertEqual(r['io'][-1]['msg_type'], 'status')
            self.assertIn('after', self.out(r))

    def test_d11_update_display_data(self):
        if not S['update']:
            self.skipTest('no API')
        r = self.ok(self.ex(S['update']))
        self.assertIn('update_display_data', self.types(r))

    def test_d12_stdin_input_request(self):
        mid = self.kc.execute(S['inp'], allow_stdin=True)
        try:
            m = self.kc.get_stdin_msg(timeout=6)
        except queue.Empty:
            self.boot()
            self.fail('no input_request')
        self.assertEqual(m['msg_type'], 'input_request')
        self.kc.input('bob')
        self.assertIn('got bob', self.out(self.wait(mid, 6)))

    def test_d13_stdin_refused_does_not_hang(self):
        r = self.ex(S['inp'], timeout=6, allow_stdin=False)
        if not r['idle']:
            self.boot()
        self.assertTrue(r['idle'], 'hangs on stdin without a frontend')

    def test_e01_redeclare_other_type(self):
        for c in S['redecl']:
            r = self.ok(self.ex(c))
        self.assertIn('two', self.out(r))

    def test_e02_unused_import(self):
        self.ok(self.ex(S['unused_import']))

    def test_e03_unused_variable(self):
        self.ok(self.ex(S['unused_var']))

    def test_e04_redefine_func_seen_by_callers(self):
        for c in S['refunc']:
            r = self.ok(self.ex(c))
        self.assertIn('20', self.out(r))

    def test_e05_type_with_method_then_use(self):
        self.assertIn('9', self.out(self.ok(self.ex(S['multi']))))

    def _line3(self, code):
        r = self.ex(code)
        c = r['reply']['content']
        self.assertEqual(c['status'], 'error')
        t = re.sub('\\x1b\\[[0-9;]*m', '', json.dumps(c) + self.out(r, 'stderr') + ''.join((json.dumps(m['content'].get('data', '')) for m in r['io'])))
        n = 3 + code[:code.find('a0' if 'a0' in code else 'a1')].count('\n')
        self.assertRegex(t, f'(?i)(:{n}\\b|line[: ]*{n}\\b)', t[:400])

    def test_e06_compile_error_names_cell_line(self):
        self._line3(S['err3'])

    def test_e07_panic_names_cell_line(self):
        self._line3(S['panic3'])

    def test_e08_complete_after_astral_chars_codepoints(self):
        code = S['unicode_pre']
        m = self.req('complete_request', {'code': code, 'cursor_pos': len(code)}, timeout=25)
        self.assertIsNotNone(m)
        c = m['content']
        hit = [x for x in c.get('matches', []) if S['unicode_want'] in x]
        self.assertTrue(hit, str(c)[:200])
        self.assertEqual((code[:c['cursor_start']] + hit[0])[-len(S['unicode_want']):], S['unicode_want'])
        self.assertEqual(c['cursor_end'], len(code))
        pre = code[:c['cursor_start']] + hit[0] + code[c['cursor_end']:]
        self.assertTrue(pre.endswith(('strings.ToUpper', '; zip')), pre)

    def test_e09_complete_mid_token(self):
        code, pos, want = S['mid']
        m = self.req('complete_request', {'code': code, 'cursor_pos': pos}, timeout=8)
        self.assertIsNotNone(m)
        c = m['content']
        self.assertTrue(any((want in x for x in c.get('matches', []))), str(c)[:200])

    def test_e10_complete_no_match_is_ok_status(self):
        m = self.req('complete_request', {'code': 'zzqqxx', 'cursor_pos': 6}, timeout=8)
        self.assertIsNotNone(m)
        self.assertEqual(m['content']['status'], 'ok')
        self.assertEqual(m['content']['matches'], [])

class Result(unittest.TextTestResult):
    """Keeps a line for each test."""

    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.rows = {}

    def name(self, test):
        return test.id().split("conformance.")[-1].replace("__main__.", "")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.rows.setdefault(self.name(test), "PASS")

    def bad(self, test, err, kind):
        self.rows[self.name(test)] = f"{kind} {err[0].__name__}: {err[1]}".replace("\n", " ")[:400]

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.bad(test, err, "FAIL")

    def addError(self, test, err):
        super().addError(test, err)
        self.bad(test, err, "ERROR")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.bad(test, err, "FAIL")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.rows[self.name(test)] = "SKIP " + reason


def main():
    loader = unittest.defaultTestLoader
    loader.testMethodPrefix = sys.argv[1] if len(sys.argv) > 1 else "test"
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(c) for c in (Upstream, Strict))
    result = unittest.TextTestRunner(stream=open(os.devnull, "w"), resultclass=Result).run(suite)
    for name, row in sorted(result.rows.items()):
        print(f"{name:60s} {row}")
    for part in ("Upstream", "Strict"):
        words = [row.split()[0] for name, row in result.rows.items() if name.startswith(part)]
        counts = {word: words.count(word) for word in ("PASS", "FAIL", "ERROR", "SKIP")}
        print(json.dumps({"kernel": NAME, "suite": part, **counts}))
    return 0 if result.rows and result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
