import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

/** Runs `main` of a built entry and leaves with its exit code; says what to do when nothing has been built yet. */
export async function launch(name, entry) {
  const root = new URL('../', import.meta.url)
  const plain = new URL(entry, root)
  if (!existsSync(plain)) {
    process.stderr.write(`${name}: not built yet (${fileURLToPath(plain)} is missing): run "npm run build"\n`)
    process.exitCode = 2
    return
  }
  const bundle = bundleOf(name, root)
  const { main } = bundle === undefined ? await import(plain.href) : loadBundle(fileURLToPath(bundle))
  const code = await main(process.argv.slice(2), revisionOf(root))
  if (typeof code === 'number') process.exitCode = code
}

/** The commit that was built and its date, as `npm run build` wrote them down; undefined where it did not know. */
export function revisionOf(root) {
  const file = new URL('dist/revision', root)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/**
 * The program `name` as one file, which loads in a third of the time: the same modules and packages, put together by
 * `npm run build`. Undefined if there is none or if it may be stale: then the modules run as they were compiled.
 *
 * 1. The bundler writes `read-from` before it reads its first module, so what was compiled or installed later is newer.
 * 2. The compiler writes a project's `.tsbuildinfo` whenever it writes one of the project's modules, and npm writes
 *    `.package-lock.json` whenever it changes a package.
 * 3. So a bundle not older than all of these holds what is there now. A program that npm unpacked has one time for all.
 */
export function bundleOf(name, root) {
  const bundle = new URL(`dist/bundle/${name}.cjs`, root)
  const readFromMs = modifiedMs(new URL('dist/bundle/read-from', root))
  if (readFromMs === undefined || !existsSync(bundle)) return undefined
  const inputs = [
    new URL('node_modules/.package-lock.json', root),
    new URL('dist/sim/.tsbuildinfo', root),
    new URL('dist/sim/.tsbuildinfo.node', root),
    ...readdirSync(new URL('dist/src', root)).map((room) => new URL(`dist/src/${room}/.tsbuildinfo`, root)),
  ]
  return inputs.every((input) => (modifiedMs(input) ?? 0) <= readFromMs) ? bundle : undefined
}

function modifiedMs(url) {
  return statSync(url, { throwIfNoEntry: false })?.mtimeMs
}

/**
 * What the bundle in `file` exports. Its files, CommonJS, are run as `require` does it, but from what V8 has compiled before,
 * where that is kept: reading three megabytes of JavaScript takes longer than starting an agent. Whoever asks Node for maps
 * to the source has it by Node's own way, which alone knows them. `onScript` hears of each file that was compiled.
 *
 * V8 refuses what another version, or one with other flags, has kept; then it compiles the text, as where nothing is kept.
 * But of the text it compares the length alone, so nothing may be kept of any other text:
 *
 * 1. The bundler writes texts and what is kept of them into a new folder, which takes the place of the old one as a whole.
 * 2. Nobody else writes there; a bundle that is stale is not loaded at all (`bundleOf`), neither text nor what is kept.
 *
 * What is kept has the name of its file within, which V8 then goes by, wherever the file lies by now. So in stacks the files of a bundle
 * have names that hold everywhere, from the folder of the program on: `src/host/source-place.ts` finds them again.
 */
export function loadBundle(file, onScript) {
  if (process.sourceMapsEnabled) return createRequire(file)(file)
  const loaded = new Map()
  const load = (path) => {
    const before = loaded.get(path)
    if (before !== undefined) return before.exports
    const module = { exports: {} }
    loaded.set(path, module)
    const script = compiled(path, `dist/bundle/${relative(dirname(file), path)}`)
    const fromNode = createRequire(path)
    const require = Object.assign(
      (id) => (id.startsWith('.') ? load(resolve(dirname(path), id)) : fromNode(id)),
      fromNode,
    )
    script.runInThisContext().call(module.exports, module.exports, require, module, path, dirname(path))
    onScript?.(path, script)
    return module.exports
  }
  return load(file)
}

function compiled(path, filename) {
  const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'utf8')}\n})`
  const kept = keptOf(path)
  return new Script(text, { filename, ...(existsSync(kept) ? { cachedData: readFileSync(kept) } : {}) })
}

/** Where that is kept what this Node has compiled of a file. */
export function keptOf(path) {
  return `${path}.${process.version}-${process.arch}`
}
