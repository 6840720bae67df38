import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { CompileCache } from './compile-cache.js'
import { YoungSpace } from './young-space.js'

/**
 * Returns what the bundle in `file` exports. Its files, which are CommonJS, run as with `require`, but from V8's code
 * cache if there is one: parsing three megabytes of JavaScript takes longer than starting an agent. If Node was asked
 * for source maps, the files are loaded in Node's own way, which alone supports them.
 *
 * The cache of `npm run build` is beside each file; an installed program keeps its own in the user's cache folder
 * (`compile-cache.js`). V8 reads a cache as a whole, so each program has caches of its own: what the simulator calls would
 * cost an agent a tenth of its start. V8 refuses a cache from another version or with other flags, and then compiles the
 * text, as without a cache. But it compares only the length of the text, so a cache must never belong to another text:
 *
 * 1. The bundler writes texts and caches into a new folder, which replaces the old one as a whole.
 * 2. Nothing else writes there; an outdated bundle is not loaded at all (`bundleOf`), neither text nor cache.
 * 3. The folder in the user's cache has the digest of all texts of the bundle in its name.
 *
 * A cache contains the name of its file, which V8 uses wherever the file is by now. So in stack traces the files of a
 * bundle have names that are valid everywhere, relative to the folder of the program: `src/host/fatal.ts` finds
 * them again.
 */
export function loadBundle(file) {
  if (process.sourceMapsEnabled) return createRequire(file)(file)
  const digest = join(dirname(file), 'digest')
  return loadWith(file, existsSync(digest) ? readFileSync(digest, 'utf8') : undefined, bytesBeside, textOnDisk)
}

/** The same of a bundle that lies on no disk. `textOf` returns the text of a file by its path, `digest` that of all texts. */
export function loadBundleInMemory(file, digest, textOf) {
  return loadWith(file, digest, () => undefined, textOf)
}

function loadWith(file, digest, keptOf, textOf) {
  const folder = dirname(file)
  const program = basename(file, '.cjs')
  const cache = CompileCache.of(digest, program)
  const cached = (path) => keptOf(path, program) ?? cache?.bytesOf(relative(folder, path))
  const youngSpace = youngSpaceOf(program)
  const { load, scripts } = bundleLoader(folder, cached, textOf, youngSpace)
  const exported = load(file)
  // From here on: this little is loaded in fewer collections if the young space grows once or twice.
  youngSpace?.holdForStart()
  if (cache !== undefined) process.once('exit', () => heldBy(youngSpace, () => cache.keep(unkept(folder, scripts))))
  return exported
}

/** That of `svc`. The simulator needs a large young space from its start. */
export function youngSpaceOf(program) {
  return program === 'svc' ? new YoungSpace() : undefined
}

/** Returns what `work` returns, which keeps compiled code or reads what was kept. */
export function heldBy(youngSpace, work) {
  return youngSpace === undefined ? work() : youngSpace.held(work)
}

/** The bundler writes ASCII alone, which V8 takes as it is; from UTF-8 it is decoded, and takes twice the memory. */
function textOnDisk(path) {
  return readFileSync(path, 'latin1')
}

/**
 * Workers of the simulator start with a large young space. V8 reads that flag when it makes the heap, and afterwards only to
 * compare it with the flags of kept code, which it refuses although the flag changes no code. So the flag is taken back.
 */
function takeBackHeapFlag() {
  if (process.execArgv.some((word) => word.startsWith('--min-semi-space-size='))) {
    setFlagsFromString('--min-semi-space-size=0')
  }
}

/** Scripts that V8 compiled from their text, for lack of a valid cache, by their names within the bundle. */
function unkept(folder, scripts) {
  const compiled = [...scripts].filter(([, script]) => script.cachedDataRejected === undefined)
  return new Map(compiled.map(([path, script]) => [relative(folder, path), script]))
}

/**
 * Loads files of the bundle in `folder`, each once. `keptOf` returns the cache of a file, or undefined, and `textOf` its
 * text; `scripts` has every file that was loaded so far.
 */
export function bundleLoader(folder, keptOf, textOf = textOnDisk, youngSpace = undefined) {
  takeBackHeapFlag()
  const loaded = new Map()
  const scripts = new Map()
  const load = (path) => {
    const before = loaded.get(path)
    if (before !== undefined) return before.exports
    const module = { exports: {} }
    loaded.set(path, module)
    const name = `dist/bundle/${relative(folder, path)}`
    const script = heldBy(youngSpace, () => compiled(textOf(path), name, keptOf(path)))
    scripts.set(path, script)
    const fromNode = createRequire(path)
    const require = Object.assign(
      (id) => (id.startsWith('.') ? load(resolve(dirname(path), id)) : fromNode(id)),
      fromNode,
    )
    script.runInThisContext().call(module.exports, module.exports, require, module, path, dirname(path))
    return module.exports
  }
  return { load, scripts }
}

function compiled(text, filename, cachedData) {
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${text}\n})`
  return new Script(wrapped, { filename, ...(cachedData === undefined ? {} : { cachedData }) })
}

/** The path of a file's cache for a program, such as `svc`, and this Node, that `npm run build` writes. */
export function keptBeside(path, program) {
  return `${path}.${program}.${process.version}-${process.arch}`
}

export function bytesBeside(path, program) {
  const kept = keptBeside(path, program)
  return existsSync(kept) ? readFileSync(kept) : undefined
}
