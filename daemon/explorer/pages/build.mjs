// Makes the types of the API and bundles the explorer's pages.
// Usage, in a folder that has these sources, schema.json and node_modules:
//   node build.mjs types
//   node build.mjs TARGET
//
// Out: schema.ts here; TARGET/index.html, app.js and app.css, which need no other file, and licences.txt.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'

// typeOf returns the TypeScript type of a JSON Schema. It knows the forms of schema that schema.json uses.
function typeOf(s) {
	if (s.$ref) return s.$ref.split('/').pop()
	if (s.anyOf) return s.anyOf.map(typeOf).join(' | ')
	switch (s.type) {
		case 'integer':
			return 'number'
		case 'array':
			return `Array<${typeOf(s.items)}>`
		case 'object':
			if (!s.properties) return `Record<string, ${typeOf(s.additionalProperties)}>`
			return `{\n${Object.entries(s.properties).map(([k, v]) => `\t${k}${s.required.includes(k) ? '' : '?'}: ${typeOf(v)}`).join('\n')}\n}`
		case undefined:
			return 'unknown'
	}
	return s.type
}

if (process.argv[2] === 'types') {
	const { $defs } = JSON.parse(await readFile('schema.json', 'utf8'))
	const types = Object.entries($defs).map(([name, s]) => `export type ${name} = ${typeOf(s)}\n`)
	await writeFile('schema.ts', '// Made of schema.json.\n\n' + types.join('\n'))
} else {
	const target = process.argv[2]
	await mkdir(target, { recursive: true })
	const texts = []
	for (const name of ['preact', 'uplot', '@tanstack/virtual-core']) {
		texts.push(`${name}\n\n${await readFile(path.join('node_modules', name, 'LICENSE'), 'utf8')}`)
	}
	await build({
		entryPoints: { app: 'main.tsx' },
		outdir: target,
		bundle: true,
		minify: true,
		banner: { js: `/*!\n${texts.join('\n\n')}*/` }, // the notices of what is bundled stay with it, in saved pages too
		format: 'iife',
		target: ['chrome123', 'firefox120', 'safari17.5'],
		jsx: 'automatic',
		jsxImportSource: 'preact',
		define: { 'process.env.NODE_ENV': '"production"' },
		logLevel: 'warning',
	})
	await writeFile(path.join(target, 'index.html'), await readFile('index.html'))
	await writeFile(path.join(target, 'licences.txt'), texts.join('\n\n'))
}
