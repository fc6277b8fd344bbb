package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"
)

// answers are the answers of one suite to tasks of a file.
type answers struct {
	suite string
	tasks string // the file
	list  []answer
}

// answer is an answer to a task.
type answer struct{ id, text string }

// makeChoices makes n multiple-choice questions, whose task file it writes into the folder dir, and
// answers to them of the lengths that models give, from one letter to three sentences.
func makeChoices(dir string, n int) (*answers, error) {
	made := &answers{suite: "spatialab", tasks: filepath.Join(dir, "items.jsonl")}
	texts := []string{"B", "2", "The answer is B.", "Looking at the picture, the red block stands left of the blue one, and the lamp is above both. So the answer is C.", "A"}
	var tasks bytes.Buffer
	for i := range n {
		id := "q-" + strconv.Itoa(i)
		fmt.Fprintf(&tasks, `{"id":%q,"suite":"spatialab","question":"Which one is it?","options":["the red block","the blue block","the lamp","none of them"],"labels":"letters","answer_index":%d,"category":"3d_geometry","subcategory":"stability_prediction"}`+"\n", id, i%4)
		made.list = append(made.list, answer{id, texts[i%len(texts)]})
	}
	return made, os.WriteFile(made.tasks, tasks.Bytes(), 0o600)
}

// makeScenes makes n tasks of ASPIRE, a benchmark in which a model changes a whiteboard, and answers to them.
// It repeats those of the sample dump under new ids. A line of that dump is a task, together with an answer to
// it (response) and the name of the model. The tasks alone are written to a task file in the folder dir.
func makeScenes(dir string, n int) (*answers, error) {
	text, err := os.ReadFile("testdata/aspire/demo.jsonl")
	if err != nil {
		return nil, err
	}
	made := &answers{suite: "aspire", tasks: filepath.Join(dir, "scenes.jsonl")}
	var tasks bytes.Buffer
	var items []map[string]any // the lines that have an answer
	for line := range bytes.Lines(text) {
		item := map[string]any{}
		if err := json.Unmarshal(line, &item); err != nil {
			return nil, err
		}
		if response, ok := item["response"].(string); ok && response != "" {
			items = append(items, item)
		}
	}
	for i := range n {
		task := maps.Clone(items[i%len(items)])
		id := fmt.Sprintf("%v-%d", task["id"], i)
		made.list = append(made.list, answer{id, task["response"].(string)})
		delete(task, "response")
		delete(task, "model")
		task["id"] = id
		line, err := json.Marshal(task)
		if err != nil {
			return nil, err
		}
		tasks.Write(append(line, '\n'))
	}
	return made, os.WriteFile(made.tasks, tasks.Bytes(), 0o600)
}

// formats are the forms in which the answers are written. The first one is plumb's own.
var formats = []struct {
	name, file string
	write      func(path string, a *answers) error
}{
	{"own lines", "own.jsonl", jsonLines(func(a *answers, i int) any {
		return map[string]any{"id": a.list[i].id, "suite": a.suite, "response": a.list[i].text}
	})},
	{"openai-batch", "openai.jsonl", jsonLines(func(a *answers, i int) any {
		return map[string]any{"id": fmt.Sprintf("batch_req_%024d", i), "custom_id": a.list[i].id, "error": nil, "response": map[string]any{
			"status_code": 200, "request_id": fmt.Sprintf("%032d", i), "body": map[string]any{"id": "chatcmpl-c", "created": 1795000000, "model": "gpt-test-1",
				"object": "chat.completion", "usage": map[string]any{"completion_tokens": 60, "prompt_tokens": 210, "total_tokens": 270},
				"choices": []any{map[string]any{"finish_reason": "stop", "index": 0, "logprobs": nil, "message": map[string]any{"role": "assistant", "content": a.list[i].text, "refusal": nil}}}}}}
	})},
	{"anthropic-batch", "anthropic.jsonl", jsonLines(func(a *answers, i int) any {
		return map[string]any{"custom_id": a.list[i].id, "result": map[string]any{"type": "succeeded", "message": map[string]any{"id": "msg_2", "type": "message",
			"role": "assistant", "model": "claude-test-1", "stop_reason": "end_turn", "stop_sequence": nil, "content": []any{map[string]any{"type": "text", "text": a.list[i].text}},
			"usage": map[string]any{"input_tokens": 100, "output_tokens": 60}}}}
	})},
	{"lm-eval", "samples_task_2026-11-23T02-23-25.536176.jsonl", jsonLines(func(a *answers, i int) any {
		return map[string]any{"doc_id": i, "doc": map[string]any{"id": a.list[i].id, "suite": a.suite}, "target": "-", "arguments": map[string]any{"gen_args_0": map[string]any{"arg_0": "Which one is it?", "arg_1": map[string]any{"until": []string{}}}},
			"resps": [][]string{{a.list[i].text}}, "filtered_resps": []string{a.list[i].text}, "filter": "none", "metrics": []string{"bypass"},
			"doc_hash": fmt.Sprintf("%064d", i), "prompt_hash": fmt.Sprintf("%064d", i), "target_hash": fmt.Sprintf("%064d", i), "bypass": nil}
	})},
	{"csv", "table.csv", writeCSV},
	{"parquet", "table.parquet", writeParquet},
	{"VLMEvalKit xlsx", "m_Spatial.xlsx", writeXLSX},
	{"inspect .eval (deflate)", "deflate.eval", writeInspect(zip.Deflate)},
	{"inspect .eval (zstd)", "zstd.eval", writeInspect(zstdMethod)},
	{"helm", filepath.Join("helm", "scenario_state.json"), writeHELM},
}

// jsonLines returns a function that writes answers as a dump of JSON lines. line returns the object that the
// tool writes for answer i.
func jsonLines(line func(a *answers, i int) any) func(string, *answers) error {
	return func(path string, a *answers) error {
		return writeFile(path, func(out *bufio.Writer) error {
			for i := range a.list {
				dst, err := json.Marshal(line(a, i))
				if err != nil {
					return err
				}
				out.Write(append(dst, '\n'))
			}
			return nil
		})
	}
}

// writeFile creates the file of a dump and its folder, calls write, which writes the dump to a buffer, and writes
// the buffer to the file.
func writeFile(path string, write func(*bufio.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	if err := write(out); err != nil {
		return err
	}
	return out.Flush()
}

// writeCSV writes answers as a dump in CSV with a header.
func writeCSV(path string, answers *answers) error {
	return writeFile(path, func(out *bufio.Writer) error {
		table := csv.NewWriter(out)
		table.Write([]string{"id", "suite", "response"})
		for _, answer := range answers.list {
			table.Write([]string{answer.id, answers.suite, answer.text})
		}
		table.Flush()
		return table.Error()
	})
}

// writeParquet writes answers as a dump in Parquet, in row groups of 10,000.
func writeParquet(path string, answers *answers) error {
	type row struct {
		ID       string `parquet:"id"`
		Suite    string `parquet:"suite,dict"`
		Response string `parquet:"response"`
	}
	return writeFile(path, func(out *bufio.Writer) error {
		table := parquet.NewGenericWriter[row](out, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(10_000))
		for _, answer := range answers.list {
			if _, err := table.Write([]row{{answer.id, answers.suite, answer.text}}); err != nil {
				return err
			}
		}
		return table.Close()
	})
}

// writeXLSX writes answers as a dump in a spreadsheet, as VLMEvalKit does: a header, and a row for each
// answer.
func writeXLSX(path string, answers *answers) error {
	file := excelize.NewFile()
	defer file.Close()
	sheet, err := file.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	sheet.SetRow("A1", []any{"index", "question", "prediction"})
	for i, answer := range answers.list {
		if err := sheet.SetRow("A"+strconv.Itoa(i+2), []any{answer.id, "Which one is it?", answer.text}); err != nil {
			return err
		}
	}
	if err := sheet.Flush(); err != nil {
		return err
	}
	return file.SaveAs(path)
}

// zstdMethod is the method of zip entries that inspect_ai writes.
const zstdMethod = 93

// writeInspect returns a function that writes answers as a log of inspect_ai: a zip archive with a
// JSON file for each sample and one header. method is the compression of the archive's entries.
func writeInspect(method uint16) func(string, *answers) error {
	return func(path string, a *answers) error {
		return writeFile(path, func(w *bufio.Writer) error {
			writer := zip.NewWriter(w)
			writer.RegisterCompressor(zstdMethod, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) })
			put := func(name string, value any) error {
				e, err := writer.CreateHeader(&zip.FileHeader{Name: name, Method: method})
				if err != nil {
					return err
				}
				return json.NewEncoder(e).Encode(value)
			}
			for _, x := range a.list {
				err := put("samples/"+x.id+"_epoch_1.json", map[string]any{"id": x.id, "epoch": 1, "input": "Which one is it?", "target": "-", "metadata": map[string]any{"id": x.id, "suite": a.suite},
					"messages": []any{map[string]any{"role": "user", "content": "Which one is it?"}, map[string]any{"role": "assistant", "content": x.text}},
					"output":   map[string]any{"model": "m", "choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": x.text}, "stop_reason": "stop"}}, "usage": map[string]any{"input_tokens": 100, "output_tokens": 60}},
					"scores":   map[string]any{}, "events": []any{}, "attachments": map[string]any{}})
				if err != nil {
					return err
				}
			}
			if err := put("header.json", map[string]any{"version": 2, "status": "success", "eval": map[string]any{"model": "m", "task": "t"}}); err != nil {
				return err
			}
			return writer.Close()
		})
	}
}

// writeHELM writes answers as HELM's document of a scenario: one JSON object whose list request_states
// has a question and its answer for each.
func writeHELM(path string, a *answers) error {
	return writeFile(path, func(out *bufio.Writer) error {
		fmt.Fprint(out, `{"adapter_spec":{"method":"generation","model":"org/m","model_deployment":"org/m"},"request_states":[`)
		for i, x := range a.list {
			data, err := json.Marshal(map[string]any{"instance": map[string]any{"input": map[string]any{"text": "Which one is it?"}, "references": []any{}, "split": "test", "id": x.id},
				"train_trial_index": 0, "request": map[string]any{"model": "org/m", "prompt": "Which one is it?"},
				"result": map[string]any{"success": true, "cached": false, "completions": []any{map[string]any{"text": x.text, "logprob": 0, "tokens": []any{}, "finish_reason": map[string]any{"reason": "stop"}}}}})
			if err != nil {
				return err
			}
			if i > 0 {
				out.WriteString(",")
			}
			out.Write(data)
		}
		_, err := out.WriteString("]}\n")
		return err
	})
}
