package chrome

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// profilePrefix begins the names of the folders that this package makes.
const profilePrefix = "plumb-chrome-"

// unlockedPrefix begins the names of folders that are not locked yet.
const unlockedPrefix = "plumb-young-"

// maxDir is the longest path of such a folder: the browser puts a socket with a
// long name into it, and the path of a socket has at most 107 bytes.
const maxDir = 60

// profile is the folder in which a browser keeps its files. It is locked while it is in use, so
// that Sweep recognises folders of killed programs.
type profile struct {
	dir  string
	lock *os.File
}

// newProfile makes a locked folder for a browser's files in temp, with a font configuration; "" is
// the system's folder for temporary files. It first removes the folders of programs that have
// ended. hinted is Config.Hinted.
func newProfile(temp string, hinted bool) (*profile, error) {
	if temp == "" {
		temp = os.TempDir()
	}
	Sweep(temp)
	p := new(profile)
	dir, err := os.MkdirTemp(temp, unlockedPrefix)
	if err == nil {
		p.dir = dir
		p.lock, err = lock(dir)
	}
	if err == nil { // only now that it is locked it gets a name by which Sweep of another program finds it
		dir = filepath.Join(temp, profilePrefix+strings.TrimPrefix(filepath.Base(dir), unlockedPrefix))
		err = os.Rename(p.dir, dir)
		if err == nil {
			p.dir = dir
			err = p.writeFiles(hinted)
		}
	}
	if err != nil {
		if p.dir != "" {
			p.remove()
		}
		return nil, fmt.Errorf("cannot make the browser's folder: %w", err)
	}
	return p, nil
}

// writeFiles creates the folder for the data of a browser and its font configuration, with or without
// hinting. A path that is too long for the browser's sockets is an error.
func (profile *profile) writeFiles(hinted bool) error {
	if len(profile.dir) > maxDir {
		return fmt.Errorf("the path %s has %d bytes; want at most %d, see TMPDIR", profile.dir, len(profile.dir), maxDir)
	}
	if err := os.Mkdir(profile.data(), 0o700); err != nil {
		return err
	}
	return os.WriteFile(profile.fonts(), []byte(fontConfig(hinted)), 0o600)
}

func (profile *profile) data() string  { return filepath.Join(profile.dir, "data") }
func (profile *profile) fonts() string { return filepath.Join(profile.dir, "fonts.conf") }

// remove deletes the browser's folder. It tries for ten seconds, because processes that are just
// ending may still write into it.
func (profile *profile) remove() error {
	const tries, pause = 500, 20 * time.Millisecond // ten seconds
	var err error
	for range tries {
		err = os.RemoveAll(profile.dir)
		if err == nil {
			break
		}
		time.Sleep(pause)
	}
	if profile.lock != nil {
		profile.lock.Close()
	}
	return err
}

// fontConfig returns the browser's font configuration: the machine's own, but with hinting fixed. Hinting is a
// setting of the machine, and pictures must not depend on the machine. See docs/spec/drawing.md#r56.
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

// lock locks a browser's folder by a file in it, until the file is closed or the process ends. It
// does not wait: if another process holds the lock, it returns an error.
func lock(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Sweep removes the browsers' folders that killed programs left in temp; "" is the system's folder
// for temporary files. Folders in use are locked and stay.
func Sweep(temp string) {
	if temp == "" {
		temp = os.TempDir()
	}
	folder := os.DirFS(temp)
	names, _ := fs.Glob(folder, profilePrefix+"*")
	unlocked, _ := fs.Glob(folder, unlockedPrefix+"*")
	for _, name := range unlocked { // its owner may be about to lock it, unless it is old
		if st, err := fs.Stat(folder, name); err == nil && time.Since(st.ModTime()) > time.Minute {
			names = append(names, name)
		}
	}
	for _, name := range names {
		dir := filepath.Join(temp, name)
		if f, err := lock(dir); err == nil {
			os.RemoveAll(dir)
			f.Close()
		}
	}
}
