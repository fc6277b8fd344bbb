// Bundles the export page, once per version of tldraw.
// Usage, in a folder that has these sources and node_modules: node build.mjs TARGET
//
// Out: TARGET/4.2 and TARGET/5.4, and for the benchmark TARGET/plain, each with index.html, page.js, page.css
// and fonts/.

import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createTLSchema, defaultBindingSchemas, defaultShapeSchemas } from '@tldraw/tlschema'
import { build } from 'esbuild'

// The page has no icon: the empty one keeps the browser from asking for it.
const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>export</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<style>#root { position: fixed; inset: 0 }</style>
<div id="root"></div>
<script src="/page.js"></script>
`

const target = process.argv[2]
// The schema of tldraw 4.2.0: npm installs the version of the first dependency at the top of node_modules.
const schema = createTLSchema({ shapes: defaultShapeSchemas, bindings: defaultBindingSchemas }).serialize()

for (const [folder, entry, version] of [
	['4.2', 'main.tsx', '4.2'],
	['5.4', 'main.tsx', '5.4'],
	['plain', 'plain.tsx', '4.2'],
]) {
	const out = path.join(target, folder)
	await mkdir(path.join(out, 'fonts'), { recursive: true })
	await build({
		entryPoints: { page: entry },
		outdir: out,
		bundle: true,
		minify: true,
		legalComments: 'eof', // the notices of what is bundled stay with it
		format: 'iife',
		target: 'chrome120',
		jsx: 'automatic',
		alias: { tldraw: `tldraw-${version}` },
		define: { 'process.env.NODE_ENV': '"production"', SCHEMA_4_2: JSON.stringify(schema) },
		logLevel: 'warning',
	})
	await writeFile(path.join(out, 'index.html'), html)
	const fonts = 'node_modules/@tldraw/assets/fonts'
	for (const name of await readdir(fonts)) {
		if (name.endsWith('.woff2')) await cp(path.join(fonts, name), path.join(out, 'fonts', name))
	}
}
