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

var errPictures = errors.New("its records hold pictures; want --images DIR for them")

// readParquet reads the rows of a data set's Parquet file as records. keep stores a picture that a
// row holds and returns its path; with nil, rows with pictures are refused. The library panics on
// broken files, which becomes an error.
func readParquet(data []byte, keep func(picture []byte, ext string) (string, error)) (out []Record, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("the Parquet file cannot be decoded: %v", p)
		}
	}()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, column := range file.Root().Columns() {
		names = append(names, column.Name())
	}
	reader := parquet.NewGenericReader[any](bytes.NewReader(data))
	defer reader.Close()
	rows := make([]any, 64)
	for {
		count, err := reader.Read(rows) // an error may come with the last rows, which are good
		for _, row := range rows[:count] {
			record, err := rowRecord(row, names, keep)
			if err != nil {
				return nil, fmt.Errorf("record %d: %w", len(out)+1, err)
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

// rowRecord returns one row of a Parquet file of questions as a record: each column's value as JSON. keep
// stores the bytes of a picture under a name and returns its path, which takes the picture's place.
func rowRecord(row any, names []string, keep func([]byte, string) (string, error)) (Record, error) {
	columns, ok := row.(map[string]any)
	if !ok {
		return Record{}, fmt.Errorf("got %T; want columns", row)
	}
	record := Record{Names: names, Values: map[string]json.RawMessage{}}
	for name, v := range columns {
		value, err := jsonValue(v, keep)
		if err != nil {
			return Record{}, fmt.Errorf("column %s: %w", name, err)
		}
		record.Values[name] = value
	}
	return record, nil
}

// jsonValue returns a value of a Parquet row as JSON. A picture, as bytes or as an object of
// bytes and path, is stored by keep and becomes its path. NaN and infinities become null.
func jsonValue(value any, keep func([]byte, string) (string, error)) (json.RawMessage, error) {
	switch v := value.(type) {
	case []byte:
		return textOrPicture(v, keep)
	case string:
		return textOrPicture([]byte(v), keep)
	case []any:
		list := []json.RawMessage{}
		for _, element := range v {
			converted, err := jsonValue(element, keep)
			if err != nil {
				return nil, err
			}
			list = append(list, converted)
		}
		return marshal(list), nil
	case map[string]any:
		if list, ok := unwrapList(v); ok {
			return jsonValue(list, keep)
		}
		if picture := v["bytes"]; picture != nil && len(v) <= 2 { // beside it at most the path
			return jsonValue(picture, keep)
		}
		object := map[string]json.RawMessage{}
		for name, element := range v {
			converted, err := jsonValue(element, keep)
			if err != nil {
				return nil, err
			}
			object[name] = converted
		}
		return marshal(object), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return json.RawMessage("null"), nil
		}
	}
	return marshal(value), nil
}

// unwrapList returns the entries of a Parquet list, which the reader returns inside the
// groups "list" and "element". ok is false for other values.
func unwrapList(v map[string]any) (list []any, ok bool) {
	inner, ok := v["list"].([]any)
	if !ok || len(v) != 1 {
		return nil, false
	}
	list = []any{}
	for _, entry := range inner {
		if group, ok := entry.(map[string]any); ok && len(group) == 1 {
			for _, value := range group {
				entry = value
			}
		}
		list = append(list, entry)
	}
	return list, true
}

// pictureTypes are the pictures that models are sent, with the endings of their files.
var pictureTypes = map[string]string{"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}

// textOrPicture returns bytes of a Parquet row as a JSON string. A picture is stored by keep and becomes its
// path; text stays as it is. Other bytes are refused, and so are pictures if keep is nil.
func textOrPicture(data []byte, keep func([]byte, string) (string, error)) (json.RawMessage, error) {
	ext := pictureTypes[http.DetectContentType(data)]
	switch {
	case ext == "" && utf8.Valid(data):
		return marshal(string(data)), nil
	case ext == "":
		return nil, errors.New("its bytes are neither text nor a PNG, JPEG, WebP or GIF")
	case keep == nil:
		return nil, errPictures
	}
	path, err := keep(slices.Clone(data), ext)
	if err != nil {
		return nil, err
	}
	return marshal(path), nil
}
