import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { Script } from 'node:vm'
import { CompileCache } from './compile-cache.js'

/**
 * What the bundle in `file` exports. Its files, CommonJS, are run as `require` does it, but from what V8 has compiled before,
 * where that is kept: reading three megabytes of JavaScript takes longer than starting an agent. An operator that asks Node
 * for maps to the source gets Node's own loader, which alone knows them.
 *
 * What `npm run build` has kept lies beside each file; an installed program keeps for itself, in the user's cache folder
 * (`compile-cache.js`). V8 refuses what another version, or one with other flags, has kept; then it compiles the text, as
 * where nothing is kept. But of the text it compares the length alone, so nothing may be kept of any other text:
 *
 * 1. The bundler writes texts and what is kept of them into a new folder, which takes the place of the old one as a whole.
 * 2. Nothing else writes there; a bundle that is stale is not loaded at all (`bundleOf`), neither text nor what is kept.
 * 3. The folder in the user's cache has the digest of all texts of the bundle in its name.
 *
 * What is kept has the name of its file within, which V8 then goes by, wherever the file lies by now. So in stacks the files of a bundle
 * have names that hold everywhere, from the folder of the program on: `src/host/source-place.ts` finds them again.
 */
export function loadBundle(file) {
  if (process.sourceMapsEnabled) return createRequire(file)(file)
  const folder = dirname(file)
  const cache = CompileCache.of(folder)
  const { load, scripts } = bundleLoader(folder, (path) => bytesBeside(path) ?? cache?.bytesOf(relative(folder, path)))
  const exported = load(file)
  if (cache !== undefined) process.once('exit', () => cache.keep(unkept(folder, scripts)))
  return exported
}

/** Scripts that V8 compiled from their text, for lack of anything kept, by their names within the bundle. */
function unkept(folder, scripts) {
  const compiled = [...scripts].filter(([, script]) => script.cachedDataRejected === undefined)
  return new Map(compiled.map(([path, script]) => [relative(folder, path), script]))
}

/**
 * Loads files of the bundle in `folder`, each once. `keptOf` gives what V8 has kept of a file, or undefined; `scripts` has
 * every file that was loaded so far.
 */
export function bundleLoader(folder, keptOf) {
  const loaded = new Map()
  const scripts = new Map()
  const load = (path) => {
    const before = loaded.get(path)
    if (before !== undefined) return before.exports
    const module = { exports: {} }
    loaded.set(path, module)
    const script = compiled(path, `dist/bundle/${relative(folder, path)}`, keptOf(path))
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

function compiled(path, filename, cachedData) {
  const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'utf8')}\n})`
  return new Script(text, { filename, ...(cachedData === undefined ? {} : { cachedData }) })
}

/** Where `npm run build` keeps what this Node has compiled of a file. */
export function keptBeside(path) {
  return `${path}.${process.version}-${process.arch}`
}

export function bytesBeside(path) {
  const kept = keptBeside(path)
  return existsSync(kept) ? readFileSync(kept) : undefined
}
