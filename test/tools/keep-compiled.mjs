import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keptOf, loadBundle } from '../../bin/launch.js'

/**
 * `node keep-compiled.mjs FILE WORDS...`: runs the command that is bundled in FILE with these words, loads whatever else it
 * has in the folder beside it, and keeps what V8 has compiled for all that: what a start needs, and of what comes after as
 * much as the words have called for. In a process of its own with no flags, for V8 refuses what was kept with others.
 */
const [file, ...words] = process.argv.slice(2)
const scripts = new Map()
const { main } = loadBundle(file, (path, script) => scripts.set(path, script))

process.on('exit', () => {
  const beside = file.slice(0, -'.cjs'.length)
  const parts = existsSync(beside) ? readdirSync(beside).filter((name) => name.endsWith('.cjs')) : []
  for (const part of parts)
    loadBundle(join(beside, part), (path, script) => scripts.has(path) || scripts.set(path, script))
  for (const [path, script] of scripts) writeFileSync(keptOf(path), script.createCachedData())
})
process.argv.splice(1, process.argv.length, file, ...words)
await main(words)
