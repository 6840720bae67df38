import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleLoader, keptBeside } from '../../bin/bundle.js'

/**
 * `node keep-compiled.mjs FOLDER`: runs a scenario with the bundle in FOLDER, loads whatever else is there, and keeps what
 * V8 has compiled for all that: what a start needs, and of what comes after as much as an election of three servers calls
 * for. In a process of its own with no flags, for V8 refuses what was kept with others.
 */
const [folder] = process.argv.slice(2)
const words = ['run', 'scenarios/election-under-partition.yaml', '--quiet']
const { load, scripts } = bundleLoader(folder, () => undefined)
const { main } = load(join(folder, 'svc-sim.cjs'))

process.on('exit', () => {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.cjs'))
  for (const name of files) load(join(folder, name))
  for (const [path, script] of scripts) writeFileSync(keptBeside(path), script.createCachedData())
})
process.argv.splice(1, process.argv.length, join(folder, 'svc-sim.cjs'), ...words)
await main(words)
