package main

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plumb/render/chrome"
	"plumb/testdata"
)

// browser skips a test where there is no browser, or no page to load into it.
func browser(t *testing.T) {
	t.Helper()
	_, err := chrome.Find("")
	if err == nil {
		_, err = os.Stat(filepath.Join(chrome.PageDir(""), "4.2", "page.js"))
	}
	if err != nil {
		t.Skip("no browser: " + err.Error())
	}
}

// emojiItem is an item whose score needs the editor: the size of the text, and
// its pixels, are not known natively.
func emojiItem(id, test, text string) string {
	const shape = `{"id":"shape:s","type":"geo","x":100,"y":100,"props":{"fill":"solid","w":300,"h":200}}`
	task := map[string]string{"label": `{"shape":"shape:s"}`, "maze": `{"target":[175,475]}`, "balance": `{}`}[test]
	answer := fmt.Sprintf(`{"createShapes":[{"type":"text","x":150,"y":150,"text":%q}]}`, text)
	return fmt.Sprintf(`{"id":%q,"suite":"aspire","test":%q,"shapes":[%s],"task":%s,"response":%q}`, id, test, shape, task, answer)
}

// foreign is a dump all of whose items but one need the editor.
func foreign() string {
	const heading = `{"createShapes":[{"type":"text","x":150,"y":150,"richText":{"type":"doc","content":[` +
		`{"type":"heading","attrs":{"level":1},"content":[{"type":"text","text":"Title"}]}]}}]}`
	held := func(id, shape string) string {
		return fmt.Sprintf(`{"id":%q,"suite":"aspire","test":"balance","shapes":[%s],"task":{},"response":"{\"createShapes\":[{\"type\":\"geo\",\"x\":900,\"y\":500}]}"}`, id, shape)
	}
	return strings.Join([]string{
		emojiItem("emoji label", "label", "a 😀"), emojiItem("emoji maze", "maze", "⭐️"), emojiItem("emoji balance", "balance", "⚖️"),
		emojiItem("cjk", "label", "标签"), emojiItem("native", "label", "label"),
		fmt.Sprintf(`{"id":"heading","suite":"aspire","test":"label","shapes":[{"id":"shape:s","type":"geo","x":100,"y":100,"props":{"fill":"solid","w":300,"h":200}}],"task":{"shape":"shape:s"},"response":%q}`, heading),
		held("bookmark", `{"id":"shape:b","type":"bookmark","x":10,"y":10,"props":{"url":"https://example.com","w":300,"h":100}}`),
		held("embed", `{"id":"shape:i","type":"embed","x":10,"y":10,"props":{"url":"https://example.com","w":300,"h":100}}`),
	}, "\n") + "\n"
}

// TestForeignDump: a dump with shapes that are not native is scored with the
// editor's pictures, and each result says who drew and why.
func TestForeignDump(t *testing.T) {
	browser(t)
	code, out, errs := plumb(t, foreign(), "score", "-")
	if code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	got := results(t, out)
	for _, m := range got {
		note, _ := json.Marshal(m["notes"])
		away := m["backend"] == "chrome" && strings.Contains(string(note), `"code":"rendered_by_chrome"`) && strings.Contains(string(note), "not drawn natively")
		if _, ok := m["score"].(float64); !ok || away == (m["id"] == "native") {
			t.Errorf("%v: got score %v by %v, %s, %v", m["id"], m["score"], m["backend"], note, m["error"])
		}
	}
	d := startDaemon(t, "--fidelity", "auto")
	if code, same, errs := plumb(t, foreign(), "score", "--server", "http://"+d.addr, "-"); code != 0 || same != out {
		t.Errorf("through a daemon: got exit %d, %s; other results: %v", code, errs, same != out)
	}
	score := func(i int) float64 { s, _ := got[i]["score"].(float64); return s }
	if score(0) < 0.99 || score(3) < 0.99 || score(5) < 0.99 {
		t.Errorf("labels inside their shape: got %g, %g, %g", score(0), score(3), score(5))
	}
	code, out, _ = plumb(t, foreign(), "score", "--fidelity", "native", "-")
	for _, m := range results(t, out) {
		if e, _ := m["error"].(map[string]any); (m["id"] == "native") == (e["code"] == "not_native") || code != 0 {
			t.Errorf("native: %v: got score %v, %v", m["id"], m["score"], e)
		}
	}
	_, out, _ = plumb(t, foreign(), "score", "--chrome", "/nowhere/chromium", "-")
	for _, m := range results(t, out) {
		e, _ := m["error"].(map[string]any)
		if text, _ := e["message"].(string); (m["id"] == "native") == (e["code"] == "not_native" && strings.Contains(text, "/nowhere")) {
			t.Errorf("without a browser: %v: got score %v, %v", m["id"], m["score"], e)
		}
	}
	if code, _, errs := plumb(t, foreign(), "score", "--backend", "chrome", "--chrome", "/nowhere/chromium", "-"); code != 1 || !strings.Contains(errs, "no tldraw in a browser") {
		t.Errorf("backend chrome without a browser: got exit %d, %s", code, errs)
	}
}

// killBrowsers ends the browsers whose profile lies in dir, and returns how many
// processes that were.
func killBrowsers(dir string) (n int) { return killProcesses("--user-data-dir="+dir, "") }

// killProcesses ends the processes whose command line has both texts, and
// returns how many they were.
func killProcesses(one, other string) (n int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if strings.Contains(string(line), one) && strings.Contains(string(line), other) && syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}

// TestKilledBrowser: browsers that are killed in the middle of a dump cost
// nothing but time, and nothing of them is left.
func TestKilledBrowser(t *testing.T) {
	browser(t)
	var dump strings.Builder
	for i := range 60 {
		dump.WriteString(emojiItem(strconv.Itoa(i), "label", fmt.Sprintf("%d 😀", i)) + "\n")
	}
	args := []string{"score", "--chrome-pages", "2", "--deadline", "5m", "-"} // a busy machine takes long to start a browser
	_, want, _ := plumb(t, dump.String(), args...)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	stop, killed := make(chan struct{}), make(chan int)
	go func() {
		n, last := 0, time.Now().Add(-2*time.Second)
		for {
			select {
			case <-stop:
				killed <- n
				return
			case <-time.After(100 * time.Millisecond):
				if n < 2 && time.Since(last) > 4*time.Second && killBrowsers(temp) > 0 { // it takes about a second to start
					n, last = n+1, time.Now()
				}
			}
		}
	}()
	code, out, errs := plumb(t, dump.String(), args...)
	close(stop)
	if n := <-killed; n == 0 {
		t.Error("no browser was killed")
	}
	if code != 0 || out != want {
		t.Errorf("got exit %d, %s%s; other results: %v", code, out, errs, out != want)
	}
	if n := killBrowsers(temp); n > 0 {
		t.Errorf("%d processes were left", n)
	}
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files were left: %v, %v", left, err)
	}
}

// TestKilledHelper: processes of the browser's that are killed while it goes on,
// above all the GPU process, change no score, in process and through a daemon.
func TestKilledHelper(t *testing.T) {
	browser(t)
	var dump strings.Builder
	for i := range 12 {
		dump.WriteString(emojiItem(strconv.Itoa(i), "label", fmt.Sprintf("%d 😀", i)) + "\n")
	}
	_, want, _ := plumb(t, dump.String(), "score", "--chrome-pages", "2", "--deadline", "5m", "-")
	temp := t.TempDir()
	t.Cleanup(func() { // processes of a browser that was killed may write for a moment longer
		for deadline := time.Now().Add(10 * time.Second); os.RemoveAll(temp) != nil && time.Now().Before(deadline); {
			time.Sleep(50 * time.Millisecond)
		}
	})
	t.Setenv("TMPDIR", temp)
	for _, kind := range []string{"gpu-process", "utility"} {
		code, out, errs := 0, "", ""
		killed := killing(temp, kind, func() {
			code, out, errs = plumb(t, dump.String(), "score", "--chrome-pages", "2", "--deadline", "5m", "-")
		})
		if code != 0 || out != want || killed == 0 {
			t.Errorf("%d of type %s killed: got exit %d, %s; other results: %v", killed, kind, code, errs, out != want)
		}
	}
	d := startDaemon(t, "--fidelity", "auto", "--chrome-pages", "2", "--deadline", "5m")
	for round := range 3 {
		code, out, errs := plumb(t, dump.String(), "score", "--server", "http://"+d.addr, "-")
		if code != 0 || out != want {
			t.Errorf("through a daemon, round %d: got exit %d, %s; other results: %v", round, code, errs, out != want)
		}
		if killProcesses(temp, "--type=gpu-process") == 0 {
			t.Error("the daemon's browser has no GPU process")
		}
	}
	if text := fetched(t, "http://"+d.addr+"/metrics"); !strings.Contains(text, "plumb_editor_lost_total ") || strings.Contains(text, "plumb_editor_lost_total 0\n") {
		t.Error("the daemon counts no lost page")
	}
}

// fetched returns the body of an answer.
func fetched(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// killing calls f, kills processes of this type in it every half second, up to five
// times, and returns how many.
func killing(dir, kind string, f func()) (n int) {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	for kills := 0; kills < 5; { // a busy machine takes long to start a browser
		select {
		case <-done:
			return n
		case <-time.After(500 * time.Millisecond):
			if k := killProcesses(dir, "--type="+kind); k > 0 {
				n, kills = n+k, kills+1
			}
		}
	}
	<-done
	return n
}

// TestNativeScoresAreTheEditors: native and Chrome give the same scores on the
// reference cases that need pixels: a few of them, or with PLUMB_FULL all cases.
func TestNativeScoresAreTheEditors(t *testing.T) {
	browser(t)
	b, err := os.ReadFile(testdata.Path(t, "aspire/cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	full := os.Getenv("PLUMB_FULL") != ""
	var dump strings.Builder
	n := map[string]int{}
	for _, l := range strings.SplitAfter(string(b), "\n") {
		var c struct{ Test string }
		if l == "" || json.Unmarshal([]byte(l), &c) != nil {
			continue
		}
		if n[c.Test]++; full || (c.Test == "label" || c.Test == "balance") && n[c.Test] <= 5 {
			dump.WriteString(l)
		}
	}
	run := func(fidelity string) []map[string]any {
		code, out, errs := plumb(t, dump.String(), "score", "--fidelity", fidelity, "-")
		if code != 0 {
			t.Fatalf("%s: got exit %d, %s", fidelity, code, errs)
		}
		return results(t, out)
	}
	native, editor := run("native"), run("tldraw")
	worst := 0.0
	for i, m := range native {
		a, ok := m["score"].(float64)
		b, ok2 := editor[i]["score"].(float64)
		d := math.Abs(a - b)
		if worst = max(worst, d); !(d <= 0.003) || !ok || !ok2 || editor[i]["backend"] != "chrome" {
			t.Errorf("%v: got %v natively (%v), %v of the editor (%v)", m["id"], m["score"], m["error"], editor[i]["score"], editor[i]["error"])
		}
	}
	t.Logf("%d cases: scores differ by at most %.6f", len(native), worst)
}

// eachKind has a scene per geo shape and kind of line, in the dashes that are
// native in tldraw 5.4.
func eachKind() string {
	var b strings.Builder
	row := func(id string, shape func(i int, dash string) string) {
		var list []string
		for i, d := range []string{"draw", "solid", "dashed"} {
			list = append(list, shape(i, d))
		}
		fmt.Fprintf(&b, `{"id":%q,"bounds":[0,0,800,300],"shapes":[%s]}`+"\n", id, strings.Join(list, ","))
	}
	fills := []string{"none", "semi", "solid", "fill", "lined-fill"}
	for g, name := range strings.Fields("rectangle ellipse triangle star oval arrow-right x-box check-box heart cloud") {
		row(name, func(i int, dash string) string {
			return fmt.Sprintf(`{"id":"shape:%s-%s","type":"geo","x":%d,"y":50,"rotation":%g,"props":{"geo":%q,"dash":%q,"fill":%q,"w":180,"h":140,"size":%q,"color":"blue"}}`,
				name, dash, 50+250*i, float64(i)/10, name, dash, fills[(g+i)%5], []string{"s", "m", "xl"}[i])
		})
	}
	for _, spline := range []string{"line"} { // thin curves are held to the reference scenes' bars only
		row(spline, func(i int, dash string) string {
			return fmt.Sprintf(`{"id":"shape:%s-%s","type":"line","x":%d,"y":50,"props":{"dash":%q,"spline":%q,"points":{"a":{"id":"a","index":"a1","x":0,"y":0},`+
				`"b":{"id":"b","index":"a2","x":70,"y":90},"c":{"id":"c","index":"a3","x":180,"y":20}}}}`, spline, dash, 50+250*i, dash, spline)
		})
	}
	return b.String()
}

// TestCompareWithEditor: in both versions of tldraw, what is native is as the
// editor draws it.
func TestCompareWithEditor(t *testing.T) {
	browser(t)
	for _, version := range []string{"4.2", "5.4"} {
		dir := t.TempDir()
		code, out, errs := plumb(t, eachKind(), "render", "--tldraw", version, "--compare", dir, "-")
		if code != 0 {
			t.Fatalf("%s: got exit %d, %s", version, code, errs)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) != 11 {
			t.Errorf("%s: got %d lines of 11 scenes", version, len(lines))
		}
		for _, l := range lines {
			var m struct {
				ID       string
				Native   bool
				Severity float64
			}
			if err := json.Unmarshal([]byte(l), &m); err != nil || !m.Native || m.Severity > 0.5 {
				t.Errorf("%s: got %s, %v; want half of what is allowed at most", version, l, err)
			}
		}
		if st, err := os.Stat(filepath.Join(dir, "index.html")); err != nil || st.Size() < 1000 {
			t.Errorf("%s: no report: %v", version, err)
		}
	}
	if code, _, errs := plumb(t, eachKind(), "render", "--tldraw", "5.4", "--compare", t.TempDir(), "--reference", t.TempDir(), "-"); code != 0 || !strings.Contains(errs, "11 without a comparison") {
		t.Errorf("without reference pictures: got exit %d, %s", code, errs)
	}
}

// TestCompareWithFolder: pictures of our own are equal to themselves, and one
// that is spoilt is found out.
func TestCompareWithFolder(t *testing.T) {
	dir := t.TempDir()
	scenes := eachKind() + `{"id":"emoji","shapes":[{"id":"shape:e","type":"text","props":{"text":"😀"}}]}` + "\nnonsense\n"
	if code, _, errs := plumb(t, scenes, "render", "--fidelity", "native", "--out", dir, "-"); code != 0 {
		t.Fatalf("got exit %d, %s", code, errs)
	}
	spoil(t, filepath.Join(dir, "star.png"))
	report := filepath.Join(t.TempDir(), "report")
	code, out, errs := plumb(t, scenes, "render", "--compare", report, "--reference", dir, "--worst", "3", "-")
	if code != 0 || !strings.Contains(errs, "11 scenes compared, 1 not native (native share 91.7 %), 1 without a comparison") {
		t.Errorf("got exit %d, %s", code, errs)
	}
	for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
		var m struct {
			ID       string
			Native   *bool
			Severity float64
			Error    *struct{ Code string }
		}
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.ID == "emoji" && m.Native != nil && !*m.Native:
		case m.Error != nil && m.Error.Code == "bad_scene" && m.ID == "line:13":
		case m.Native != nil && *m.Native && (m.Severity > 1) == (m.ID == "star"):
		default:
			t.Errorf("got %s", l)
		}
	}
	for _, name := range []string{"index.html", "features.jsonl"} {
		if _, err := fs.Stat(os.DirFS(report), name); err != nil {
			t.Error(err)
		}
	}
	if code, _, _ := plumb(t, scenes, "render", "--reference", dir, "-"); code != 2 {
		t.Errorf("--reference alone: got exit %d; want 2", code)
	}
}

// spoil moves what a picture shows by two px.
func spoil(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewNRGBA(img.Bounds())
	for y := range out.Rect.Dy() {
		for x := 2; x < out.Rect.Dx(); x++ {
			out.SetNRGBA(x, y, color.NRGBAModel.Convert(img.At(x-2, y)).(color.NRGBA))
		}
	}
	g, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(g, out); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}
