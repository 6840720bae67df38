import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that the package of npm has, with their bytes, in a fixed order: `package.json` says which. */
export function packageFiles(root) {
  const said = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 24,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ files }] = JSON.parse(said)
  const names = files.map(({ path }) => path).toSorted((a, b) => (a < b ? -1 : 1))
  return new Map(names.map((name) => [name, readFileSync(join(root, name))]))
}
