package sheets

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"plumb/daemon/records/archive"
)

// maxText bounds a text of XML in bytes: that of a full cell with every character escaped is shorter.
const maxText = 512 << 10

// textReader passes XML on and fails if there are more than maxText bytes between two tags.
type textReader struct {
	src      io.Reader
	sinceTag int // bytes since the last tag began
}

// Read reads a spreadsheet's XML and refuses a text of more than maxText bytes without a tag. It looks
// at the last tag of each read alone, so a text that a tag ends within a read may be longer, by one read at
// most. It implements io.Reader.
func (r *textReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	if i := bytes.LastIndexByte(p[:n], '<'); i >= 0 {
		r.sinceTag = n - i
	} else if r.sinceTag += n; r.sinceTag > maxText {
		return 0, fmt.Errorf("it holds a text of more than %d bytes", maxText)
	}
	return n, err
}

// textsName is the part with the texts that cells name by numbers.
const textsName = "xl/sharedStrings.xml"

// firstSheet returns the name of the spreadsheet's first sheet and the part of its archive that holds the
// cells. The part xl/workbook.xml gives the sheet's name and the id of a link; the list of links gives
// the path of the part with that id.
func firstSheet(a *archive.Archive) (name string, part *archive.File, err error) {
	var workbook struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var links struct {
		Links []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	// Read both parts.
	for part, v := range map[string]any{"xl/workbook.xml": &workbook, "xl/_rels/workbook.xml.rels": &links} {
		f := a.Find(part)
		if f == nil {
			return "", nil, fmt.Errorf("%s is not in the archive", part)
		}
		r, err := a.OpenEntry(f)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %s", part, archive.Explain(err))
		}
		err = xml.NewDecoder(r).Decode(v)
		r.Close()
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", part, err)
		}
	}
	if len(workbook.Sheets) == 0 {
		return "", nil, errors.New("the spreadsheet has no sheet")
	}
	// Find the link that the first sheet names.
	for _, l := range links.Links {
		if l.ID != workbook.Sheets[0].ID {
			continue
		}
		path := path.Join("xl", l.Target)
		if rooted, ok := strings.CutPrefix(l.Target, "/"); ok {
			path = rooted
		}
		if part = a.Find(path); part == nil {
			return "", nil, fmt.Errorf("the first sheet, %s, is not in the archive", path)
		}
		return workbook.Sheets[0].Name, part, nil
	}
	return "", nil, errors.New("xl/_rels/workbook.xml.rels does not name the first sheet")
}
