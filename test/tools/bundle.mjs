import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleOf, keptOf } from '../../bin/launch.js'

/**
 * Puts the compiled program together as one file per command, `dist/bundle/svc.cjs` and `svc-sim.cjs`, beside each a folder
 * of what it imports when it is needed: Node takes longer to find hundreds of files than to run them. `bin/launch.js`
 * decides whether what is here is still what was compiled. Beside each file what V8 keeps of compiling it
 * (`keep-compiled.mjs`), for this version of Node: another one compiles anew, until it builds for itself. Not minified: a stack names the functions of the source, and
 * the map beside each file its lines. Does nothing when it would write the same again.
 */
const root = new URL('../../', import.meta.url)
const path = (name) => fileURLToPath(new URL(name, root))
const commands = {
  svc: { entry: 'dist/src/host/main.js', words: ['version'] },
  'svc-sim': { entry: 'dist/sim/main.js', words: ['run', 'scenarios/election-under-partition.yaml', '--quiet'] },
}
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
  const isThere = (name) => bundleOf(name, root) !== undefined && existsSync(keptOf(path(`dist/bundle/${name}.cjs`)))
  const makers = [fileURLToPath(import.meta.url), path('test/tools/keep-compiled.mjs'), path('bin/launch.js')]
  const { mtimeMs } = statSync(path('dist/bundle/read-from'), { throwIfNoEntry: false }) ?? { mtimeMs: 0 }
  return Object.keys(commands).every(isThere) && makers.every((maker) => statSync(maker).mtimeMs <= mtimeMs)
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
  const { output } = await made.write({
    dir: aside,
    format: 'cjs',
    strict: true,
    // What V8 has kept of a file does not know who is to import for it.
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: `${name}/[name].cjs`,
    sourcemap: true,
    comments: false,
  })
  await made.close()
  const left = output.filter(({ code }) => /(?<![.\w$])import\(/.test(code ?? ''))
  if (left.length > 0)
    throw new Error(`${name}: what is imported must be known now: ${left.map((file) => file.fileName).join(', ')}`)
}

/** Keeps what V8 compiles of a command when it does what stands beside it in `commands`; how that ends is for tests to judge. */
function keepCompiled(name, words) {
  const argv = [path('test/tools/keep-compiled.mjs'), `${aside}/${name}.cjs`, ...words]
  spawnSync(process.execPath, argv, { cwd: path('.'), stdio: ['ignore', 'ignore', 'inherit'] })
}

async function bundleAll() {
  mkdirSync(aside)
  // Before the first module is read: what is compiled from now on is newer than this. `bin/launch.js` has the argument.
  writeFileSync(`${aside}/read-from`, 'The time of this file is that at which the bundler began to read.\n')
  for (const [name, { entry, words }] of Object.entries(commands)) {
    await bundle(name, entry)
    keepCompiled(name, words)
  }
  rmSync(path('dist/bundle'), { recursive: true, force: true })
  renameSync(aside, path('dist/bundle'))
}

try {
  if (!isCurrent()) await bundleAll()
} finally {
  rmSync(aside, { recursive: true, force: true })
}
