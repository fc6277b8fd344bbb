package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"plumb/testdata"
)

// deployed reads a file of deploy or docs.
func deployed(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{testdata.Root()}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// parsed reads a command line as the program would.
func parsed(t *testing.T, from string, args []string) *serveCmd {
	t.Helper()
	var c cli
	if _, err := parser(&c).Parse(args); err != nil {
		t.Fatalf("%s: %q: %v", from, args, err)
	}
	return &c.Serve
}

// dockerArgs is the command of an image.
func dockerArgs(t *testing.T) []string {
	t.Helper()
	var args []string
	for _, line := range strings.Split(deployed(t, "deploy", "Dockerfile"), "\n") {
		if rest, ok := strings.CutPrefix(line, "CMD "); ok {
			if err := json.Unmarshal([]byte(rest), &args); err != nil {
				t.Fatal(err)
			}
		}
	}
	return args
}

// unitValue returns what follows KEY= in a unit.
func unitValue(t *testing.T, unit, key string) string {
	t.Helper()
	for _, line := range strings.Split(unit, "\n") {
		if rest, ok := strings.CutPrefix(line, key+"="); ok {
			return rest
		}
	}
	t.Fatalf("no %s in the unit", key)
	return ""
}

// object is a part of a manifest.
type object map[string]any

// at follows keys and indexes; it ends the test where there is nothing.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for i, step := range path {
		var next any
		ok := false
		switch key := step.(type) {
		case string:
			var m map[string]any
			if m, ok = v.(map[string]any); ok {
				next, ok = m[key]
			}
		case int:
			var list []any
			if list, ok = v.([]any); ok && key < len(list) {
				next = list[key]
			}
		}
		if !ok {
			t.Fatalf("the manifest has nothing at %v", path[:i+1])
		}
		v = next
	}
	return v
}

// manifests reads the documents of deploy/kubernetes by their kind.
func manifests(t *testing.T) map[string]any {
	t.Helper()
	all := map[string]any{}
	d := yaml.NewDecoder(strings.NewReader(deployed(t, "deploy", "kubernetes", "plumb.yaml")), yaml.Strict())
	for {
		var doc map[string]any
		err := d.Decode(&doc)
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all[doc["kind"].(string)] = doc
	}
}

// The manifests name probes that the daemon answers, flags that it has, ports on
// which it listens, and leave it the time that its flags promise.
func TestKubernetes(t *testing.T) {
	docs := manifests(t)
	for _, kind := range []string{"Deployment", "Service", "PodDisruptionBudget"} {
		if docs[kind] == nil {
			t.Fatalf("no %s", kind)
		}
	}
	pod := at(t, docs["Deployment"], "spec", "template")
	box := at(t, pod, "spec", "containers", 0)
	var args []string
	for _, a := range at(t, box, "args").([]any) {
		args = append(args, a.(string))
	}
	c := parsed(t, "plumb.yaml", args)
	grace, _ := at(t, pod, "spec", "terminationGracePeriodSeconds").(uint64)
	patience := time.Duration(grace) * time.Second
	if patience <= c.DrainGrace+c.DrainTimeout || patience <= c.DrainGrace+c.Deadline {
		t.Errorf("got %v until a pod is killed; want more than --drain-grace %v and --drain-timeout %v or --deadline %v", patience, c.DrainGrace, c.DrainTimeout, c.Deadline)
	}
	if ready, _ := at(t, box, "readinessProbe", "periodSeconds").(uint64); c.DrainGrace < 2*time.Duration(ready)*time.Second {
		t.Errorf("got --drain-grace %v; want two readiness probes in it", c.DrainGrace)
	}
	d := startDaemon(t, "--backend", "cpu")
	for _, probe := range []string{"startupProbe", "readinessProbe", "livenessProbe"} {
		get := at(t, box, probe, "httpGet")
		path := at(t, get, "path").(string)
		if got := status(t, "http://"+d.addr+path); got != 200 {
			t.Errorf("%s: GET %s: got %d; want 200", probe, path, got)
		}
		if want := "/v2/health/ready"; probe == "livenessProbe" == (path == want) {
			t.Errorf("%s asks %s: a daemon that is alive and not ready must not be killed", probe, path)
		}
		if port := at(t, get, "port"); port != at(t, box, "ports", 0, "name") {
			t.Errorf("%s: got port %v; want the container's", probe, port)
		}
	}
	// The scrape of the annotations, which sends no token, is answered by a daemon
	// with these flags and tokens; other routes are not.
	notes := at(t, pod, "metadata", "annotations")
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("a:token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	guarded := startDaemon(t, append(slices.DeleteFunc(args[1:], func(a string) bool { return strings.HasPrefix(a, "--listen") || strings.HasPrefix(a, "--tokens-file") }),
		"--tokens-file", tokens, "--backend", "cpu")...)
	for path, want := range map[string]int{at(t, notes, "prometheus.io/path").(string): 200, "/v1/suites": 401} {
		if got := status(t, "http://"+guarded.addr+path); got != want {
			t.Errorf("GET %s without a token: got %d; want %d", path, got, want)
		}
	}
	port := fmt.Sprint(at(t, box, "ports", 0, "containerPort"))
	if !strings.HasSuffix(c.Listen, ":"+port) || at(t, docs["Service"], "spec", "ports", 0, "targetPort") != at(t, box, "ports", 0, "name") {
		t.Errorf("got --listen %s and port %s; want them and the Service to agree", c.Listen, port)
	}
	if got := at(t, notes, "prometheus.io/port"); got != port {
		t.Errorf("metrics are scraped at port %v; want %s", got, port)
	}
	labels := fmt.Sprint(at(t, pod, "metadata", "labels"))
	for _, selector := range []any{at(t, docs["Deployment"], "spec", "selector", "matchLabels"), at(t, docs["Service"], "spec", "selector"),
		at(t, docs["PodDisruptionBudget"], "spec", "selector", "matchLabels")} {
		if fmt.Sprint(selector) != labels {
			t.Errorf("got selector %v; want %s", selector, labels)
		}
	}
	if gpus := at(t, box, "resources", "limits", "nvidia.com/gpu"); fmt.Sprint(gpus) != "1" {
		t.Errorf("got %v GPUs; want 1", gpus)
	}
	mounted := map[string]string{}
	for _, m := range at(t, box, "volumeMounts").([]any) {
		mounted[at(t, m, "name").(string)] = at(t, m, "mountPath").(string)
	}
	memory := false
	for _, v := range at(t, pod, "spec", "volumes").([]any) {
		name := at(t, v, "name").(string)
		if mounted[name] == "" {
			t.Errorf("volume %s is not mounted", name)
		}
		if e, ok := v.(map[string]any)["emptyDir"].(map[string]any); ok && e["medium"] == "Memory" {
			memory = mounted[name] == "/dev/shm"
		}
	}
	if !memory {
		t.Error("no memory is mounted at /dev/shm")
	}
	if !strings.HasPrefix(c.TokensFile, mounted["tokens"]+"/") {
		t.Errorf("got --tokens-file %s; want it below %s", c.TokensFile, mounted["tokens"])
	}
}

// The units leave the daemon the time that its flags promise, tell the service manager
// what docs/spec/http.md#r45 asks, and are accepted by systemd where it is installed.
func TestSystemdUnits(t *testing.T) {
	unit, socket := deployed(t, "deploy", "plumb.service"), deployed(t, "deploy", "plumb.socket")
	words := strings.Fields(unitValue(t, unit, "ExecStart"))
	words = slices.DeleteFunc(words, func(w string) bool { return w == "$PLUMB_ARGS" })
	c := parsed(t, "plumb.service", words[1:])
	for key, want := range map[string]time.Duration{"TimeoutStopSec": c.DrainGrace + c.DrainTimeout, "WatchdogSec": 3 * c.Heartbeat} {
		if got, err := time.ParseDuration(unitValue(t, unit, key)); err != nil || got <= want {
			t.Errorf("%s: got %v, %v; want more than %v", key, got, err, want)
		}
	}
	for key, want := range map[string]string{"Type": "notify", "RuntimeDirectory": "plumb", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "DevicePolicy": "closed", "LimitNOFILE": "65536",
		"MemoryMax": "8G", "TasksMax": "2048", "SystemCallFilter": "@system-service chroot", "SystemCallErrorNumber": "EPERM"} {
		if got := unitValue(t, unit, key); got != want {
			t.Errorf("%s: got %q; want %q", key, got, want)
		}
	}
	if runtime := "/run/" + unitValue(t, unit, "RuntimeDirectory") + "/"; !strings.HasPrefix(c.Socket, runtime) {
		t.Errorf("got --socket %s; want it below %s", c.Socket, runtime)
	}
	if got := unitValue(t, socket, "ListenStream"); got != c.Listen {
		t.Errorf("the socket unit listens on %s; want --listen %s", got, c.Listen)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Log("systemd-analyze is not here; the units were only read")
		return
	}
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "plumb.service"), filepath.Join(dir, "plumb.socket")}
	os.WriteFile(paths[0], []byte(strings.ReplaceAll(unit, words[0], binary)), 0o644)
	os.WriteFile(paths[1], []byte(socket), 0o644)
	out, err := exec.Command("systemd-analyze", append([]string{"verify", "--man=no"}, paths...)...).CombinedOutput()
	if err != nil || strings.Contains(string(out), "plumb.") {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}

// sources returns the files of the project of which the program is made, by their paths in its folder.
func sources(t *testing.T) (paths []string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", "egl", "-deps", "-json=Dir,Module,GoFiles,CgoFiles,CFiles,HFiles,EmbedFiles", "./cmd/plumb")
	cmd.Dir = testdata.Root()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		var pkg struct {
			Dir                                           string
			Module                                        struct{ Main bool }
			GoFiles, CgoFiles, CFiles, HFiles, EmbedFiles []string
		}
		if err := in.Decode(&pkg); err != nil {
			t.Fatal(err)
		}
		if !pkg.Module.Main {
			continue
		}
		folder, err := filepath.Rel(testdata.Root(), pkg.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Concat(pkg.GoFiles, pkg.CgoFiles, pkg.CFiles, pkg.HFiles, pkg.EmbedFiles) {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	if len(paths) < 100 {
		t.Fatalf("got %d files of the program; want all of them", len(paths))
	}
	return paths
}

// reachesBuild reports whether a list of what docker ignores, which begins with everything, allows a path or a
// folder above it.
func reachesBuild(ignored, path string) bool {
	for ; path != "."; path = filepath.Dir(path) {
		if strings.Contains(ignored, "\n!"+path+"\n") {
			return true
		}
	}
	return false
}

// The image starts the daemon with flags that it has, as somebody else than root,
// and brings the graphics driver in.
func TestDockerfile(t *testing.T) {
	file := deployed(t, "deploy", "Dockerfile")
	c := parsed(t, "Dockerfile", dockerArgs(t))
	if !strings.HasSuffix(c.Listen, ":8000") || c.TokensFile == "" {
		t.Errorf("got --listen %s, --tokens-file %q; want the exposed port and tokens", c.Listen, c.TokensFile)
	}
	capabilities := regexp.MustCompile(`NVIDIA_DRIVER_CAPABILITIES=(\S+)`).FindStringSubmatch(file)
	if capabilities == nil || !slices.Contains(strings.Split(capabilities[1], ","), "graphics") {
		t.Errorf("got NVIDIA_DRIVER_CAPABILITIES %q; want graphics among them", capabilities)
	}
	for _, want := range []string{"tini", "scripts/fonts.sh", "scripts/page.sh", "scripts/licences.sh", "ARG BASE_IMAGE=debian:", " AS build\n", "\nUSER 10001\n", "-tags=egl"} {
		if !strings.Contains(file, want) {
			t.Errorf("the Dockerfile lacks %q", want)
		}
	}
	ignored := deployed(t, "deploy", "Dockerfile.dockerignore")
	if before, _, _ := strings.Cut(file, "sh scripts/fonts.sh"); strings.LastIndex(before, "apt-get update") <= strings.LastIndex(before, "rm -rf /var/lib/apt/lists") {
		t.Error("scripts/fonts.sh runs without apt's lists, which apt-get download needs")
	}
	for _, path := range append(sources(t), "scripts", "docs", "go.mod", "go.sum", "LICENSE", "NOTICE", "licences") {
		if _, err := os.Stat(filepath.Join(testdata.Root(), path)); err != nil || !reachesBuild(ignored, path) {
			t.Errorf("%s does not reach the build: %v", path, err)
		}
	}
	if goVersion := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(deployed(t, "go.mod"))[1]; !strings.Contains(file, "golang:"+goVersion+"-") {
		t.Errorf("the image is not built with Go %s", goVersion)
	}
	// The health check is a line of shell; it tells a daemon from none.
	line := regexp.MustCompile(`(?m)^    CMD (\[.*\])$`).FindStringSubmatch(file)
	var check []string
	if line == nil || json.Unmarshal([]byte(line[1]), &check) != nil {
		t.Fatal("no health check")
	}
	d := startDaemon(t, "--backend", "cpu")
	run := func() error {
		return exec.Command(check[0], check[1], strings.ReplaceAll(check[2], "127.0.0.1/8000", strings.Replace(d.addr, ":", "/", 1))).Run()
	}
	if err := run(); err != nil {
		t.Errorf("the health check of a daemon: %v", err)
	}
	d.cmd.Process.Kill()
	d.ended(t)
	if err := run(); err == nil {
		t.Error("the health check passes without a daemon")
	}
}

// Every flag and every path of the daemon that the guide names is there.
func TestDeployGuide(t *testing.T) {
	text := deployed(t, "docs", "deploy.md")
	help := map[string]bool{}
	for _, command := range []string{"serve", "score", "doctor", "load"} {
		_, out, _ := plumb(t, "", command, "--help")
		for _, flag := range regexp.MustCompile(`--[a-z][a-z0-9-]+`).FindAllString(out, -1) {
			help[flag] = true
		}
	}
	flags := regexp.MustCompile("[` ](--[a-z][a-z0-9-]+)").FindAllStringSubmatch(text, -1)
	if len(flags) < 10 {
		t.Errorf("got %d flags; want the guide to name them", len(flags))
	}
	for _, m := range flags {
		if !help[m[1]] && !slices.Contains([]string{"--format", "--init", "--gpus", "--rm", "--from-file", "--now", "--build-arg", "--system"}, m[1]) {
			t.Errorf("the guide names %s, which is no flag", m[1])
		}
	}
	d := startDaemon(t, "--backend", "cpu")
	resp, err := http.Get("http://" + d.addr + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var doc struct{ Paths map[string]any }
	if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`(?:GET |POST )(/[a-z0-9_/]*)`").FindAllStringSubmatch(text, -1) {
		if doc.Paths[m[1]] == nil {
			t.Errorf("the guide names %s, which is not answered", m[1])
		}
	}
	for _, m := range regexp.MustCompile("\\((\\.\\./deploy/[^)]+)\\)").FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(testdata.Root(), "docs", m[1])); err != nil {
			t.Errorf("the guide names %s: %v", m[1], err)
		}
	}
}
