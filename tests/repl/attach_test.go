package repl_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// product builds gonterp as people have it, once.
var product = sync.OnceValues(func() (string, error) {
	exe := filepath.Join(filepath.Dir(program), "product")
	out, err := exec.Command("go", "build", "-o", exe, "../../cmd/gonterp").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("building gonterp: %w\n%s", err, out)
	}
	return exe, err
})

// startKernel starts a kernel and returns its connection file.
func startKernel(t *testing.T) string {
	dir := t.TempDir()
	exe, err := product()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "kernel-test.json")
	b, err := json.Marshal(map[string]any{"transport": "tcp", "ip": "127.0.0.1", "key": "a key", "signature_scheme": "hmac-sha256"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "kernel", "--connection", file)
	cmd.Env = append(os.Environ(), "GONTERP_HOME="+dir)
	if lib := os.Getenv("LIBTORCH"); lib == "" {
		cmd.Env = os.Environ() // libtorch is where the user's data is
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if b, _ := os.ReadFile(file); strings.Contains(string(b), "shell_port") {
			return file
		}
		if time.Now().After(end) {
			t.Fatal("the kernel opens no ports")
		}
	}
}

// Two terminals share the variables of a kernel, which outlives both.
func TestAttach(t *testing.T) {
	file := startKernel(t)
	p := open(t, "-existing", file)
	p.run("x := 6", "[2]>")
	p.run("fmt.Println(x); x * 7", "[3]>")
	p.typed("for {}")
	p.keys("Enter")
	time.Sleep(300 * time.Millisecond)
	p.keys("C-c")
	p.wait("interrupted", "[4]>")
	p.run("?x", "[5]>")
	p.run("x[0]", "[6]>")
	p.typed("strings.ToUp")
	p.keys("Tab")
	p.wait("strings.ToUpper")
	p.keys("C-c")
	p.typed("var name string; fmt.Print(\"name? \"); fmt.Scanln(&name); name")
	p.keys("Enter")
	p.wait("name? ")
	p.typed("Mary")
	p.keys("Enter")
	p.wait("\"Mary\"\n[7]>")
	p.keys("C-l") // whether the question or its text came first
	p.run("go func() { time.Sleep(time.Second); fmt.Println(\"late\") }()", "[8]>")
	p.typed("half")
	p.golden("attach", p.wait("late\n[8]> half"))
	p.keys("C-c")
	p.run("image.NewGray(image.Rect(0, 0, 60, 20))", "[9]>")
	p.wait(strings.Repeat("▀", 60)+"\n", "*image.Gray 60×20")
	p.run("%vars", "[10]>")
	p.wait("\nx                int\n")
	p.keys("C-d")
	p.wait("ended 0")

	p = reopenAt(t, p, "[10]>", "-existing", file)
	p.run("x", "[11]>")
	p.wait("[10]> x\n6\n")
}

// gonterp alone is the terminal: it says how to begin, and keeps what was typed.
func TestGonterpAlone(t *testing.T) {
	exe, err := product()
	if err != nil {
		t.Fatal(err)
	}
	driven := program
	program = "GONTERP_HOME=" + t.TempDir() + " " + exe
	defer func() { program = driven }()
	p := open(t)
	p.wait("gonterp.Load", "%help")
	p.run("6 * 7", "42\n[2]>")
	p.keys("C-d")
	p.wait("ended 0")
	p = reopen(t, p)
	p.keys("Up")
	p.wait("[1]> 6 * 7")
}
