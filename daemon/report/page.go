package report

import (
	_ "embed"
	"html/template"
)

var (
	//go:embed page.html
	pageSource string
	//go:embed style.css
	style string
	//go:embed script.js
	script string

	pageTemplate = template.Must(template.New("page").Parse(pageSource))
)
