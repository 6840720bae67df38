import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleOf } from '../../bin/launch.js'

/**
 * Puts the compiled program together as one file per command, `dist/bundle/svc.js` and `svc-sim.js`, beside each a folder
 * of what it imports when it is needed: Node takes longer to find hundreds of files than to run them. `bin/launch.js`
 * decides whether what is here is still what was compiled. Not minified: a stack names the functions of the source, and
 * the map beside each file its lines. Does nothing when it would write the same again.
 */
const root = new URL('../../', import.meta.url)
const path = (name) => fileURLToPath(new URL(name, root))
const commands = { svc: 'dist/src/host/main.js', 'svc-sim': 'dist/sim/main.js' }
const aside = path(`dist/bundle-${process.pid}`)

/** Maps to what was compiled are of no use to anybody: the compiler's own lead on to the source. */
const compilerMaps = {
  name: 'compiler-maps',
  load(id) {
    if (!id.startsWith(path('dist/'))) return null
    return { code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') }
  },
}

function isCurrent() {
  if (Object.keys(commands).some((name) => bundleOf(name, root) === undefined)) return false
  return statSync(path('dist/bundle/read-from')).mtimeMs >= statSync(fileURLToPath(import.meta.url)).mtimeMs
}

async function bundle(name, entry) {
  const { rolldown } = await import('rolldown')
  const made = await rolldown({
    input: { [name]: path(entry) },
    platform: 'node',
    plugins: [compilerMaps],
    // The package's own entry finds its parts with a `require` that only Node understands.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    // Loads a binary from its own folder.
    external: ['msgpackr-extract'],
    onLog(level, log) {
      if (level !== 'info' && level !== 'debug') throw new Error(`${name}: ${log.message}`)
    },
  })
  await made.write({
    dir: aside,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${name}/[name].js`,
    sourcemap: true,
    comments: false,
  })
  await made.close()
}

async function bundleAll() {
  mkdirSync(aside)
  // Before the first module is read: what is compiled from now on is newer than this. `bin/launch.js` has the argument.
  writeFileSync(`${aside}/read-from`, 'The time of this file is that at which the bundler began to read.\n')
  for (const [name, entry] of Object.entries(commands)) await bundle(name, entry)
  rmSync(path('dist/bundle'), { recursive: true, force: true })
  renameSync(aside, path('dist/bundle'))
}

try {
  if (!isCurrent()) await bundleAll()
} finally {
  rmSync(aside, { recursive: true, force: true })
}
