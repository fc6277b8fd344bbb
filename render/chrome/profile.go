package chrome

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// profilePrefix begins the names of the folders that this package makes.
const profilePrefix = "plumb-chrome-"

// maxDir is the longest path of such a folder: the browser puts a socket with a
// long name into it, and the path of a socket has at most 107 bytes.
const maxDir = 60

// profile is the folder that a browser keeps its files in. It is locked while
// it is in use, so that one left behind by a killed program is known as such.
type profile struct {
	dir  string
	lock *os.File
}

// newProfile makes a folder in temp, with a font configuration, and clears away
// those of programs that are gone.
func newProfile(temp string, hinted bool) (*profile, error) {
	if temp == "" {
		temp = os.TempDir()
	}
	sweep(temp)
	dir, err := os.MkdirTemp(temp, profilePrefix)
	if err != nil {
		return nil, fmt.Errorf("cannot make the browser's folder: %w", err)
	}
	p := &profile{dir: dir}
	if p.lock, err = lock(dir); err == nil {
		err = p.fill(hinted)
	}
	if err != nil {
		p.remove()
		return nil, fmt.Errorf("cannot make the browser's folder: %w", err)
	}
	return p, nil
}

func (p *profile) fill(hinted bool) error {
	if len(p.dir) > maxDir {
		return fmt.Errorf("the path %s has %d bytes; want at most %d, see TMPDIR", p.dir, len(p.dir), maxDir)
	}
	if err := os.Mkdir(p.data(), 0o700); err != nil {
		return err
	}
	return os.WriteFile(p.fonts(), []byte(fontConfig(hinted)), 0o600)
}

func (p *profile) data() string  { return filepath.Join(p.dir, "data") }
func (p *profile) fonts() string { return filepath.Join(p.dir, "fonts.conf") }

// remove deletes the folder. Processes that are just ending may still write
// into it, so it is tried for a while.
func (p *profile) remove() error {
	var err error
	for range 100 {
		if err = os.RemoveAll(p.dir); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if p.lock != nil {
		p.lock.Close()
	}
	return err
}

// fontConfig is the machine's own configuration with hinting decided: it is a
// setting of the machine, and pictures must not depend on one
// (tldraw-rendering.md 6.10).
func fontConfig(hinted bool) string {
	on, style := "false", "hintnone"
	if hinted {
		on, style = "true", "hintslight"
	}
	edits := `<edit name="hinting" mode="assign"><bool>` + on + `</bool></edit>` +
		`<edit name="hintstyle" mode="assign"><const>` + style + `</const></edit>` +
		`<edit name="autohint" mode="assign"><bool>false</bool></edit>` +
		`<edit name="antialias" mode="assign"><bool>true</bool></edit>` +
		`<edit name="rgba" mode="assign"><const>none</const></edit>`
	return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<match target="pattern">` + edits + `</match>
<match target="font">` + edits + `</match>
</fontconfig>
`
}

// lock takes the lock of a folder; an error means that somebody has it.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes the folders of programs that were killed.
func sweep(temp string) {
	dirs, _ := filepath.Glob(filepath.Join(temp, profilePrefix+"*"))
	for _, dir := range dirs {
		// A folder without a lock yet may be a second old; leave it.
		st, err := os.Stat(dir)
		if err != nil || time.Since(st.ModTime()) < time.Minute {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "lock")); errors.Is(err, os.ErrNotExist) {
			os.RemoveAll(dir)
			continue
		}
		if f, err := lock(dir); err == nil {
			os.RemoveAll(dir)
			f.Close()
		}
	}
}
