package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// errPictures marks records that hold pictures although nothing keeps them.
var errPictures = errors.New("its records hold pictures; want --images DIR for them")

// readParquet reads the rows of a Parquet file as records. keep stores a picture that a row holds
// and returns its path; nil refuses rows with pictures. A panic of the library is an error.
func readParquet(b []byte, keep func(picture []byte, ext string) (string, error)) (out []Record, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("the Parquet file cannot be decoded: %v", p)
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range f.Root().Columns() {
		names = append(names, c.Name())
	}
	r := parquet.NewGenericReader[any](bytes.NewReader(b))
	defer r.Close()
	rows := make([]any, 64)
	for {
		n, err := r.Read(rows)
		for _, row := range rows[:n] {
			columns, ok := row.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("row %d: got %T; want columns", len(out), row)
			}
			record := Record{Names: names, Values: map[string]json.RawMessage{}}
			for name, v := range columns {
				if record.Values[name], err = plainValue(v, keep); err != nil {
					return nil, fmt.Errorf("row %d, column %s: %w", len(out), name, err)
				}
			}
			out = append(out, record)
		}
		switch {
		case err == io.EOF:
			return out, nil
		case err != nil:
			return nil, err
		}
	}
}

// plainValue returns a value of a row as JSON. Pictures, as bytes or as the pair of bytes and path
// that data sets write, become paths.
func plainValue(v any, keep func([]byte, string) (string, error)) (json.RawMessage, error) {
	switch v := v.(type) {
	case []byte:
		return bytesValue(v, keep)
	case string:
		return bytesValue([]byte(v), keep)
	case []any:
		list := []json.RawMessage{}
		for _, e := range v {
			one, err := plainValue(e, keep)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		return marshal(list), nil
	case map[string]any:
		if inner, ok := framed(v); ok {
			return plainValue(inner, keep)
		}
		if picture, ok := v["bytes"]; ok && len(v) <= 2 && picture != nil {
			return plainValue(picture, keep)
		}
		object := map[string]json.RawMessage{}
		for name, e := range v {
			one, err := plainValue(e, keep)
			if err != nil {
				return nil, err
			}
			object[name] = one
		}
		return marshal(object), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return json.RawMessage("null"), nil
		}
	}
	return marshal(v), nil
}

// framed returns the list that the groups "list" and "element" of Parquet stand around.
func framed(v map[string]any) (list []any, ok bool) {
	inner, ok := v["list"].([]any)
	if !ok || len(v) != 1 {
		return nil, false
	}
	list = []any{}
	for _, e := range inner {
		if m, ok := e.(map[string]any); ok && len(m) == 1 {
			for _, value := range m {
				e = value
			}
		}
		list = append(list, e)
	}
	return list, true
}

// pictureTypes are the pictures that models are sent, with the endings of their files.
var pictureTypes = map[string]string{"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}

// bytesValue returns bytes as a text, or as the path of the picture that they are.
func bytesValue(b []byte, keep func([]byte, string) (string, error)) (json.RawMessage, error) {
	ext := pictureTypes[http.DetectContentType(b)]
	switch {
	case ext == "" && utf8.Valid(b):
		return marshal(string(b)), nil
	case ext == "":
		return nil, errors.New("its bytes are neither text nor a PNG, JPEG, WebP or GIF")
	case keep == nil:
		return nil, errPictures
	}
	path, err := keep(slices.Clone(b), ext)
	if err != nil {
		return nil, err
	}
	return marshal(path), nil
}
