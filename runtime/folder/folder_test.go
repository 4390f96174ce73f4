package folder

import (
	"runtime"
	"testing"
)

func TestFolders(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders of another system")
	}
	type environment map[string]string
	for _, c := range []struct {
		env           environment
		data, jupyter string
	}{
		{environment{"HOME": "/h"}, "/h/.local/share/gonterp", "/h/.local/share/jupyter"},
		{environment{"HOME": "/h", "XDG_DATA_HOME": "/x"}, "/x/gonterp", "/x/jupyter"},
		{environment{"HOME": "/h", "XDG_DATA_HOME": "/x", "GONTERP_HOME": "/g", "JUPYTER_DATA_DIR": "/j"}, "/g", "/j"},
		{environment{}, "", ""},
	} {
		for _, name := range []string{"HOME", "XDG_DATA_HOME", "GONTERP_HOME", "JUPYTER_DATA_DIR"} {
			t.Setenv(name, c.env[name])
		}
		if got := Data(); got != c.data {
			t.Errorf("%v: gonterp's is %q, want %q", c.env, got, c.data)
		}
		if got := Jupyter(); got != c.jupyter {
			t.Errorf("%v: Jupyter's is %q, want %q", c.env, got, c.jupyter)
		}
	}
}
