package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"plumb/bench/rig"
	"plumb/testdata"
)

// longRun, when set, makes the bad clients many; a path in it is where their
// figures go.
const longRun = "PLUMB_BAD_CLIENTS"

// badToken is what no answer and no line of the log may hold.
const badToken = "a-token-that-nobody-may-see"

// foe is one client: it does its worst with c and returns what it was told. The
// connection has a deadline and is closed after it.
type foe func(c net.Conn) string

// attack is one kind of bad client.
type attack struct {
	name  string
	n     [2]int // clients at once, in the short and in the long run
	wants string // in what every client is told; alternatives with | between them, "" for a connection that just ends
	foe   foe
}

// told is all that comes until the connection ends.
func told(c net.Conn) string {
	b, _ := io.ReadAll(io.LimitReader(c, 1<<20))
	return string(b)
}

// asked is the head of a request with the token.
func asked(path string, headers ...string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + badToken + "\r\n" + strings.Join(append(headers, "", ""), "\r\n")
}

// speak sends b at once and returns what is told.
func speak(b string) foe {
	return func(c net.Conn) string {
		go io.WriteString(c, b)
		return told(c)
	}
}

// item sends a body with its length and closes after the answer.
func item(body string, headers ...string) foe {
	return speak(asked("/v1/score", append(headers, "Connection: close", "Content-Length: "+strconv.Itoa(len(body)))...) + body)
}

// drip sends b byte by byte until the daemon has enough.
func drip(b string) foe {
	return func(c net.Conn) string {
		done := make(chan struct{})
		defer close(done)
		go func() {
			for i := range len(b) {
				select {
				case <-done:
					return
				case <-time.After(50 * time.Millisecond):
				}
				if _, err := io.WriteString(c, b[i:i+1]); err != nil {
					return
				}
			}
		}()
		return told(c)
	}
}

// torn sends a part of a request and ends its half of the connection.
func torn(b string) foe {
	return func(c net.Conn) string {
		io.WriteString(c, b)
		c.(*net.TCPConn).CloseWrite()
		return told(c)
	}
}

// flood sends head and then size bytes of piece over and over, whether or not
// it is answered; it reads what it is told at the end.
func flood(head, piece string, size int) foe {
	return func(c net.Conn) string {
		answer := make(chan string, 1)
		go func() { answer <- told(c) }()
		io.WriteString(c, head)
		chunk := []byte(strings.Repeat(piece, max(1, (64<<10)/len(piece))))
		for n := 0; n < size; n += len(chunk) {
			if _, err := c.Write(chunk); err != nil {
				break
			}
		}
		return <-answer
	}
}

func gzipped(n int) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	zero := make([]byte, 1<<20)
	for range n >> 20 {
		w.Write(zero)
	}
	w.Close()
	return b.String()
}

func zstandard(n int) string {
	var b bytes.Buffer
	w, _ := zstd.NewWriter(&b)
	zero := make([]byte, 1<<20)
	for range n >> 20 {
		w.Write(zero)
	}
	w.Close()
	return b.String()
}

// attacks lists the bad clients. Bodies that take the daemon's processors for
// longer than the short --read-timeout of this test may end in that for others.
func attacks() []attack {
	const gb = 1 << 30
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 64<<10, strings.Repeat("x", 64<<10))
	return []attack{
		{"headers byte by byte", [2]int{100, 1000}, " 408 |", drip(asked("/v1/score", strings.Repeat("X-Slow: very\r\n", 100)))},
		{"bodies byte by byte", [2]int{100, 1000}, `"timeout"`, drip2(asked("/v1/score", "Content-Length: 10000"), strings.Repeat(" ", 10000))},
		{"chunks byte by byte", [2]int{100, 1000}, `"timeout"`, drip2(asked("/v1/score", "Transfer-Encoding: chunked"), strings.Repeat("1\r\n \r\n", 1000))},
		{"large bodies announced, nothing sent", [2]int{500, 4000}, " 408 ", speak(asked("/v1/score", "Content-Length: 1000000"))},
		{"torn head", [2]int{50, 500}, " 400 |", torn(asked("/v1/score")[:60])},
		{"torn body", [2]int{50, 500}, " 400 ", torn(asked("/v1/score", "Content-Length: 100000") + strings.Repeat(" ", 20_000))},
		{"torn chunk", [2]int{50, 500}, " 400 ", torn(asked("/v1/score", "Transfer-Encoding: chunked") + "ffff\r\nabc")},
		// A client that closes its half looks like one that left, so a slow machine ends the answer first.
		{"torn stream", [2]int{50, 500}, `"bad_line"|` + brokenOff, torn(asked("/v1/score/stream", "Content-Length: 100000") + strings.Repeat(" ", 20_000) + "{\"id\":1")},
		{"1 GB body by its length", [2]int{1, 4}, "--max-body", flood(asked("/v1/score", fmt.Sprint("Content-Length: ", gb)), "x", gb)},
		{"1 GB body in chunks", [2]int{1, 4}, "--max-body", flood(asked("/v1/score", "Transfer-Encoding: chunked"), chunk, gb)},
		{"1 GB body to a path that is none", [2]int{1, 4}, "not_found", flood(asked("/v1/none", fmt.Sprint("Content-Length: ", gb)), "x", gb)},
		{"body without an end in one line of a stream", [2]int{1, 2}, "--max-line", flood(asked("/v1/score/stream", fmt.Sprint("Content-Length: ", 256<<20)), "x", 256<<20)},
		{"flood of headers", [2]int{20, 200}, " 431 ", flood("POST /v1/score HTTP/1.1\r\nHost: x\r\n", "X-Flood: x\r\n", 64<<20)},
		{"header without an end", [2]int{20, 200}, " 431 ", flood("POST /v1/score HTTP/1.1\r\nX-Flood: ", "x", 64<<20)},
		{"wrong tokens", [2]int{300, 3000}, " 401 ", speak("POST /v1/score HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + badToken + "x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")},
		{"garbage behind a request", [2]int{50, 500}, " 400 ", speak(asked("/v1/score", "Content-Length: 2") + "{}" + strings.Repeat("\x00\xffgarbage", 1000) + "\r\n\r\n")},
		{"two lengths", [2]int{10, 100}, " 400 ", speak(asked("/v1/score", "Content-Length: 2", "Content-Length: 20", "Connection: close") + "{}")},
		{"TLS and HTTP/2 on a plain port", [2]int{20, 200}, " 400 |", func(c net.Conn) string {
			tls.Client(c, &tls.Config{InsecureSkipVerify: true}).Handshake()
			return ""
		}},
		{"half-open", [2]int{200, 2000}, " 408 |", func(c net.Conn) string { io.WriteString(c, "POST /v1/sc"); return told(c) }},
		{"idle", [2]int{2000, 4000}, " 408 |", func(c net.Conn) string { return told(c) }},
		{"asks and never reads", [2]int{20, 200}, "", func(c net.Conn) string {
			c.(*net.TCPConn).SetReadBuffer(4096)
			q := "GET /openapi.json HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + badToken + "\r\n\r\n"
			for range 20_000 {
				if _, err := io.WriteString(c, q); err != nil {
					break
				}
			}
			return ""
		}},
		{"NaN", [2]int{50, 500}, `"bad_line"`, item(`{"id":"a","suite":"aspire","test":"maze","task":{"target":[NaN,1e999]}}`)},
		{"depth", [2]int{50, 500}, "--max-depth|nested|depth|\"timeout\"", item(`{"id":"a","shapes":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + `}`)},
		{"many values", [2]int{2, 20}, "--max-values|\"timeout\"", item(`{"id":"a","suite":"aspire","test":"maze","shapes":[` + strings.Repeat("1,", 5_000_000) + `1]}`)},
		{"twice the same key", [2]int{20, 200}, "id", item(`{"id":"a","id":"b"}`)},
		{"bad UTF-8 and NUL", [2]int{20, 200}, " 4", item("{\"id\":\"\xff\xfe\x00\"}")},
		{"gzip bomb", [2]int{4, 40}, "too_large", item(gzipped(256<<20), "Content-Encoding: gzip")},
		{"zstd bomb", [2]int{4, 40}, "too_large", item(zstandard(1<<30), "Content-Encoding: zstd")},
		{"zstd bomb in a stream", [2]int{4, 40}, "--max-ratio", speak(asked("/v1/score/stream", "Content-Length: "+strconv.Itoa(len(zstandard(1<<30)))) + zstandard(1<<30))},
	}
}

// drip2 sends head at once and the rest byte by byte.
func drip2(head, rest string) foe {
	slow := drip(rest)
	return func(c net.Conn) string {
		io.WriteString(c, head)
		return slow(c)
	}
}

// memory returns resident memory and its peak in MiB.
func (d *daemonProcess) memory(t *testing.T) (now, peak int) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	value := func(key string) int {
		_, rest, _ := strings.Cut(string(b), key+":")
		n, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		return n >> 10
	}
	return value("VmRSS"), value("VmHWM")
}

// launch lets n clients of a kind loose at once and returns what each was told.
func (a attack) launch(t *testing.T, addr string, n int) []string {
	answers := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Errorf("%s: client %d: %v", a.name, i, err)
				return
			}
			defer c.Close()
			c.SetDeadline(time.Now().Add(time.Minute))
			answers[i] = a.foe(c)
		})
	}
	all.Wait()
	return answers
}

// brokenOff stands in attack.wants for an answer in chunks without its last one, which no client takes for whole.
const brokenOff = "(broken off)"

// wrong counts answers that are not as wanted, and returns one.
func (a attack) wrong(answers []string) (n int, one string) {
	for _, got := range answers {
		ok := false
		for _, want := range strings.Split(a.wants, "|") {
			switch want {
			case "":
				ok = ok || got == ""
			case brokenOff:
				ok = ok || strings.Contains(got, "Transfer-Encoding: chunked") && !strings.HasSuffix(got, "\r\n0\r\n\r\n")
			default:
				ok = ok || strings.Contains(got, want)
			}
		}
		if !ok {
			n++
			one = got
		}
	}
	return n, one
}

// Bad clients are told what is wrong, cost bounded memory and disturb nobody.
func TestBadClients(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 40 seconds")
	}
	out := os.Getenv(longRun)
	size := 0
	if out != "" {
		size = 1
	}
	tokens := filepath.Join(t.TempDir(), "secret-file-name")
	if err := os.WriteFile(tokens, []byte("tester:"+badToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMEMLIMIT", "") // as delivered
	d := startDaemon(t, "--backend", "cpu", "--tokens-file", tokens, "--read-timeout", "2s", "--idle-timeout", "2s",
		"--stream-idle", "2s", "--max-line", "16MiB", "--log-level", "debug")
	var table strings.Builder
	var replies strings.Builder
	good := newPool("tcp", d.addr+"")
	good.url += "?token=" + badToken
	before, _ := d.memory(t)
	fmt.Fprintf(&table, "%-46s %8s %8s %9s %9s %11s  %s\n", "bad clients", "at once", "seconds", "RSS MiB", "peak MiB", "others, ms", "told")
	for _, a := range attacks() {
		begin := time.Now()
		over, stop := make(chan time.Duration, 1), make(chan struct{})
		go func() { // somebody who behaves, meanwhile
			slowest := time.Duration(0)
			for {
				start := time.Now()
				if got, err := good.score(plainScore); err != nil || !strings.Contains(got, `"score":0.0`) {
					t.Errorf("%s: a good client got %s, %v", a.name, got, err)
				}
				slowest = max(slowest, time.Since(start))
				select {
				case <-stop:
					over <- slowest
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		}()
		answers := a.launch(t, d.addr, a.n[size])
		took := time.Since(begin)
		close(stop)
		slowest := <-over
		if n, one := a.wrong(answers); n > 0 {
			t.Errorf("%s: %d of %d were told otherwise, such as %.300q; want %q", a.name, n, len(answers), one, a.wants)
		}
		for _, got := range answers {
			replies.WriteString(got)
		}
		rss, peak := d.memory(t)
		fmt.Fprintf(&table, "%-46s %8d %8.1f %9d %9d %11.1f  %s\n", a.name, a.n[size], took.Seconds(), rss, peak, slowest.Seconds()*1000, summary(answers))
	}
	rss, peak := d.memory(t)
	fmt.Fprintf(&table, "resident memory: %d MiB before, %d MiB after, %d MiB at most\n", before, rss, peak)
	if peak > before+512+1536*size {
		t.Errorf("the daemon took %d MiB at its peak, %d at the start; want a bound\n%s", peak, before, table.String())
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if err := d.ended(t); err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
	noSecrets(t, map[string]string{"an answer": replies.String(), "the log": d.logged()},
		badToken, tokens, filepath.Dir(tokens), testdata.Root(), binary)
	t.Log("\n" + table.String())
	if size == 1 && strings.Contains(out, "/") {
		head := fmt.Sprintf("machine: %s, %d cores, %s\ncommit: %s\ncommand: %s=FILE go test ./cmd/plumb -run TestBadClients -v\nflags: --backend cpu --read-timeout 2s --idle-timeout 2s --stream-idle 2s --max-line 16MiB\n\n",
			runtime.GOARCH, runtime.NumCPU(), runtime.Version(), rig.Commit(), longRun)
		if err := os.WriteFile(out, []byte(head+table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// summary is the status that most clients got.
func summary(answers []string) string {
	count := map[string]int{}
	for _, a := range answers {
		resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(a)), nil)
		switch {
		case a == "":
			count["closed"]++
		case err != nil:
			count["cut"]++
		default:
			count[strconv.Itoa(resp.StatusCode)]++
			resp.Body.Close()
		}
	}
	var all []string
	for k, n := range count {
		all = append(all, fmt.Sprintf("%s x %d", k, n))
	}
	return strings.Join(all, ", ")
}

// noSecrets demands that none of the secrets stands in any of the texts.
func noSecrets(t *testing.T, texts map[string]string, secrets ...string) {
	t.Helper()
	for name, text := range texts {
		for _, secret := range secrets {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s holds %q: ...%s", name, secret, text[max(0, i-100):min(len(text), i+200)])
			}
		}
	}
}
