/**
 * The rows on which `svc` is compared with others, each beside bare `node:http` in the same run. After a build:
 *
 *     npm run bench -- ROW [--rounds=3] [--with=DIR]
 *
 * `--with` names the folder of another build, which is measured by turns with this one. Without ROW the rows are listed.
 */
import { endAll } from './children.mjs'
import { printLoad } from './figures.mjs'

const rows = {
  cold: () => import('./rows/cold.mjs').then(({ cold }) => cold()),
  get: () => import('./rows/kv.mjs').then(({ get }) => get()),
  idle: () => import('./rows/idle.mjs').then(({ idle }) => idle()),
  load: () => import('./rows/kv.mjs').then(({ load }) => load()),
  pool: () => import('./rows/pool.mjs').then(({ pool }) => pool()),
  put: () => import('./rows/kv.mjs').then(({ put }) => put()),
  register: () => import('./rows/register.mjs').then(({ register }) => register()),
  three: () => import('./rows/three.mjs').then(({ three }) => three()),
  watchers: () => import('./rows/watchers.mjs').then(({ watchers }) => watchers()),
}

const [row] = process.argv.slice(2)
if (rows[row] === undefined) {
  console.log(`usage: npm run bench -- ROW [--rounds=3] [--with=DIR]\nrows: ${Object.keys(rows).join(', ')}`)
  process.exitCode = 2
} else {
  try {
    printLoad()
    await rows[row]()
    printLoad('')
  } finally {
    endAll()
  }
}
