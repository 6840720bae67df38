import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Runs `main` of a built entry and leaves with its exit code; says what to do when nothing has been built yet. */
export async function launch(name, entry) {
  const root = new URL('../', import.meta.url)
  const plain = new URL(entry, root)
  if (!existsSync(plain)) {
    process.stderr.write(`${name}: not built yet (${fileURLToPath(plain)} is missing): run "npm run build"\n`)
    process.exitCode = 2
    return
  }
  const { main } = await import((bundleOf(name, root) ?? plain).href)
  const code = await main(process.argv.slice(2))
  if (typeof code === 'number') process.exitCode = code
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
  const bundle = new URL(`dist/bundle/${name}.js`, root)
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
