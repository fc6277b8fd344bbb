package chrome

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/render/scene"
)

// appendSource appends a scene to a job for the page, byte by byte as it came in (src), after the
// name of its member. The page finds out its encoding (page/source.ts), and the editor validates
// it. Here only its syntax, its size and the size of files inside it are checked.
func (config *Config) appendSource(dst, src []byte) ([]byte, error) {
	if len(src) > config.MaxSource {
		return nil, fmt.Errorf("cannot export scene: %w: got %d bytes; want at most %d (--max-line)", ErrLimit, len(src), config.MaxSource)
	}
	if err := (scene.Limits{Line: config.MaxSource}).Check(src); err != nil { // it is JSON by the letter from here on
		return nil, fmt.Errorf("cannot export scene: %w", err)
	}
	var parser fastjson.Parser
	value, err := jsontree.Parse(&parser, src)
	if err != nil {
		return nil, fmt.Errorf("cannot export scene: %w: JSON that the parser refuses", ErrScene)
	}
	if err := config.checkAssets(value); err != nil {
		return nil, err
	}
	return append(append(dst, `{"source":`...), src...), nil
}
