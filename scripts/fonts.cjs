// Converts every WOFF2 file of one folder to a TTF file in another.
// Usage: node fonts.cjs NPM_FOLDER SOURCE_FOLDER TARGET_FOLDER
'use strict'

const fs = require('node:fs')
const path = require('node:path')

const [npm, source, target] = process.argv.slice(2)
const { decompress } = require(path.join(npm, 'node_modules', 'wawoff2'))

async function main() {
	for (const name of fs.readdirSync(source).sort()) {
		if (!name.endsWith('.woff2')) continue
		const ttf = await decompress(fs.readFileSync(path.join(source, name)))
		fs.writeFileSync(path.join(target, name.replace(/woff2$/, 'ttf')), ttf)
	}
}

main().catch((err) => {
	console.error(err)
	process.exit(1)
})
