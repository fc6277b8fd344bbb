package chrome

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"plumb/render/assets"
)

// names of the browser's program, the one that the reference pictures were made with first.
var names = []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "headless_shell"}

// Find returns the path of the browser's program: explicit when given, else the environment's PLUMB_CHROME,
// else the first of the usual names on PATH. The error wraps ErrMissing.
func Find(explicit string) (string, error) {
	if explicit == "" {
		explicit = os.Getenv("PLUMB_CHROME")
	}
	if explicit != "" {
		path, err := exec.LookPath(explicit)
		if err != nil {
			return "", fmt.Errorf("cannot find the browser: %w: %w", ErrMissing, err)
		}
		return behindScript(path), nil
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return behindScript(path), nil
		}
	}
	return "", fmt.Errorf("cannot find the browser: %w: none of %v is on PATH; want the Debian package chromium or --chrome PATH",
		ErrMissing, names)
}

// behindScript returns the browser program that the start script at path runs, if it is Debian's script:
// /usr/bin/NAME runs /usr/lib/NAME/NAME. The script adds extensions, API keys and raster flags of the machine,
// and an export must depend on none of these. For any other program it returns path.
func behindScript(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	name := filepath.Base(real)
	program := filepath.Join(filepath.Dir(filepath.Dir(real)), "lib", name, name)
	if st, err := os.Stat(program); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
		return program
	}
	return path
}

// PageDir returns the folder of the export pages: explicit if given, else the environment's
// PLUMB_PAGE, else where assets.Dir finds page. It does not check the files; Open does.
func PageDir(explicit string) string { return assets.Dir(explicit, "PLUMB_PAGE", "page") }

// Sandboxed reports whether the browser can run in Chromium's own sandbox, and why not. It cannot as root, nor
// where the kernel or the container allows neither user namespaces nor the browser's setuid helper. If
// Config.Sandbox requires a sandbox that is not possible, the error wraps ErrSandbox.
func (config *Config) Sandboxed(program string) (on bool, reason string, err error) {
	if config.Sandbox == SandboxOff {
		return false, "--chrome-sandbox is off", nil
	}
	on, reason = sandbox(program)
	if !on && config.Sandbox == SandboxRequire {
		err = fmt.Errorf("cannot start the browser: %w: %s; want --chrome-sandbox auto, or a machine that allows it",
			ErrSandbox, reason)
	}
	return on, reason, err
}

// sandbox reports whether the machine allows Chromium's sandbox, and why not. Unless the browser
// has its setuid helper, it finds out by starting a process in a user namespace.
func sandbox(program string) (on bool, reason string) {
	if os.Getuid() == 0 {
		return false, "plumb runs as root, and Chromium has no sandbox for root; run it as another user"
	}
	helper := filepath.Join(filepath.Dir(program), "chrome-sandbox")
	if st, err := os.Stat(helper); err == nil && st.Mode()&os.ModeSetuid != 0 {
		return true, ""
	}
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	if err := cmd.Run(); err != nil {
		return false, "this machine allows neither user namespaces nor " + helper + " (" + err.Error() + ")"
	}
	return true, ""
}
