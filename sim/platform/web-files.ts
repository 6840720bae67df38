import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { WebFiles } from '../cli/terminal.ts'

const entry = 'svc-web.cjs'
const notBuilt = 'this program has no simulator for browsers, or an outdated one: run "npm run build"'
const required = /\brequire\((?:"|'|`)(\.[^"'`]+)(?:"|'|`)\)/g

/**
 * The files of the program's bundle that a browser needs: the entry for it, and all that one of them requires. `root`:
 * the folder of the program. `running`: the address of the file that runs. A program that does not run from its bundle
 * has one that is older than its modules, or none.
 */
export function readWebFiles(root: string, running: string): Result<WebFiles, string> {
  const folder = join(root, 'dist', 'bundle')
  const loader = join(root, 'dist', 'pages', 'loader.js.br')
  const isBundled = dirname(fileURLToPath(running)) === folder
  if (!isBundled || !existsSync(join(folder, entry)) || !existsSync(loader)) return err(notBuilt)
  const files = new Map<string, string>()
  const read = (path: string): void => {
    const name = relative(folder, path).replaceAll('\\', '/')
    if (files.has(name)) return
    const text = readFileSync(path, 'utf8')
    files.set(name, text)
    for (const [, id = ''] of text.matchAll(required)) read(join(dirname(path), id))
  }
  read(join(folder, entry))
  return ok({ entry, files, loader: brotliDecompressSync(readFileSync(loader)).toString('utf8') })
}
