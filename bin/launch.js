import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadBundle } from './bundle.js'
import { loadModules } from './modules.js'

/** Runs `main` of a built entry and leaves with its exit code; says what to do when nothing has been built yet. */
export async function launch(name, entry) {
  const root = new URL('../', import.meta.url)
  const plain = new URL(entry, root)
  const bundle = bundleOf(name, root)
  if (bundle === undefined && !existsSync(plain)) {
    process.stderr.write(`${name}: not built yet (${fileURLToPath(plain)} is missing): run "npm run build"\n`)
    process.exitCode = 2
    return
  }
  const { main } = await (bundle === undefined ? loadModules(fileURLToPath(plain)) : loadBundle(fileURLToPath(bundle)))
  const code = await main(process.argv.slice(2), revisionOf(root))
  if (typeof code === 'number') process.exitCode = code
}

/** The commit that was built and its date, as `npm run build` wrote them down; undefined where it did not know. */
export function revisionOf(root) {
  const file = new URL('dist/revision', root)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/**
 * The program `name` as few files, which load in a third of the time: the same modules and packages, put together by
 * `npm run build`. Undefined if there is none or if it may be stale: then the modules run as they were compiled.
 *
 * 1. The bundler writes `read-from` before it reads its first module, so what was compiled or installed later is newer.
 * 2. The compiler writes a project's `.tsbuildinfo` whenever it writes one of the project's modules, and npm writes
 *    `.package-lock.json` whenever it changes a package.
 * 3. So a bundle not older than all of these holds what is there now.
 * 4. An installed package has one time for all its files, and has neither modules nor `.tsbuildinfo`: its bundle is never stale.
 */
export function bundleOf(name, root) {
  const bundle = new URL(`dist/bundle/${name}.cjs`, root)
  const readFromMs = modifiedMs(new URL('dist/bundle/read-from', root))
  if (readFromMs === undefined || !existsSync(bundle)) return undefined
  const inputs = [
    new URL('node_modules/.package-lock.json', root),
    new URL('dist/sim/.tsbuildinfo', root),
    new URL('dist/sim/.tsbuildinfo.node', root),
    new URL('dist/sim/web/.tsbuildinfo', root),
    ...roomsOf(root).map((room) => new URL(`dist/src/${room}/.tsbuildinfo`, root)),
  ]
  return inputs.every((input) => (modifiedMs(input) ?? 0) <= readFromMs) ? bundle : undefined
}

function roomsOf(root) {
  const modules = new URL('dist/src', root)
  return existsSync(modules) ? readdirSync(modules) : []
}

function modifiedMs(url) {
  return statSync(url, { throwIfNoEntry: false })?.mtimeMs
}
