package assets

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDir(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	const env, name = "PLUMB_TEST_FOLDER", "no-such-things"
	check := func(explicit, want string) {
		t.Helper()
		if got := Dir(explicit, env, name); got != want {
			t.Errorf("got %s; want %s", got, want)
		}
	}
	check("", filepath.Join("build", name))
	above := filepath.Join(root, "build", name)
	if err := os.MkdirAll(above, 0o755); err != nil {
		t.Fatal(err)
	}
	check("", above)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(filepath.Dir(exe), name)
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(inside)
	check("", inside)
	t.Setenv(env, "elsewhere")
	check("", "elsewhere")
	check("here", "here")
}
