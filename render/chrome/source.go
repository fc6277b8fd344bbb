package chrome

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/render/scene"
)

// appendSource writes a scene as it came in, by the encoding it is in
// (tldraw-rendering.md 1.1). What is in it is for the editor to judge; here
// only its size and that of the files inside it are looked at.
func (c *Config) appendSource(b, src []byte) ([]byte, error) {
	if len(src) > c.MaxSource {
		return nil, fmt.Errorf("cannot export scene: %w: got %d bytes; want at most %d", ErrLimit, len(src), c.MaxSource)
	}
	if err := (scene.Limits{Line: c.MaxSource}).Check(src); err != nil {
		return nil, fmt.Errorf("cannot export scene: %w", err)
	}
	var parser fastjson.Parser
	v, err := jsontree.Parse(&parser, src)
	if err != nil {
		return nil, fmt.Errorf("cannot export scene: %w: JSON that the parser refuses", ErrScene)
	}
	if err := c.checkAssets(v); err != nil {
		return nil, err
	}
	return appendContainer(b, v)
}

// appendContainer writes the members of a job that hold the scene.
func appendContainer(b []byte, v *fastjson.Value) ([]byte, error) {
	if v.Type() == fastjson.TypeArray {
		return v.MarshalTo(append(b, `{"shapes":`...)), nil
	}
	switch {
	case v.Get("document") != nil:
		page := v.GetStringBytes("session", "currentPageId")
		b = appendStore(b, v.Get("document"))
		if page != nil {
			b = appendString(append(b, `,"page":`...), string(page))
		}
	case v.Get("store") != nil:
		b = appendStore(b, v)
	case v.Get("records") != nil:
		b = v.Get("records").MarshalTo(append(b, `{"records":`...))
		if b = appendMember(b, v, "schema"); v.Get("schema") == nil {
			b = append(b, `,"partial":true`...) // written by hand
		}
	case v.Get("shapes") != nil:
		b = v.Get("shapes").MarshalTo(append(b, `{"shapes":`...))
		b = appendMember(b, v, "bindings")
		b = appendMember(b, v, "assets")
	default:
		return nil, fmt.Errorf("cannot export scene: %w: got neither shapes, records, store nor document in it", ErrScene)
	}
	return b, nil
}

// appendStore writes the records of {"store": {id: record}, "schema"}.
func appendStore(b []byte, v *fastjson.Value) []byte {
	b = append(b, `{"records":[`...)
	first := true
	v.GetObject("store").Visit(func(_ []byte, r *fastjson.Value) {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = r.MarshalTo(b)
	})
	return appendMember(append(b, ']'), v, "schema")
}

func appendMember(b []byte, v *fastjson.Value, name string) []byte {
	m := v.Get(name)
	if m == nil || m.Type() == fastjson.TypeNull {
		return b
	}
	return m.MarshalTo(append(append(append(b, `,"`...), name...), `":`...))
}
