/**
 * The rows on which `svc` is compared with others, each beside bare `node:http` in the same run. After a build:
 *
 *     npm run bench -- ROW [--rounds=3] [--with=DIR]
 *     npm run bench -- --compare COMMIT [ROW…] [--rounds=5]
 *
 * `--with` names the folder of another build, which is measured by turns with this one; `--compare` builds a commit, and
 * says which figures have become worse since (exit code 1). Without either the rows are listed.
 */

import { endAll } from './children.mjs'
import { prepareComparison, printComparison, usualRows } from './compare.mjs'
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

const usage = `usage: npm run bench -- ROW [--rounds=3] [--with=DIR]
       npm run bench -- --compare COMMIT [ROW…] [--rounds=5]
rows: ${Object.keys(rows).join(', ')}`

/** What the command line asks for; `problem`: what is wrong with it. */
function asked() {
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--') || word === '--compare')
  const compares = words[0] === '--compare'
  const [commit, ...named] = compares ? words.slice(1) : [undefined, ...words]
  const chosen = compares && named.length === 0 ? usualRows : named
  const unknown = chosen.find((row) => rows[row] === undefined)
  if (unknown !== undefined) return { problem: `${unknown}: there is no such row\n${usage}` }
  if (chosen.length === 0 || (compares && commit === undefined)) return { problem: usage }
  return { commit, chosen, problem: compares ? prepareComparison(commit) : undefined }
}

async function measure({ commit, chosen }) {
  printLoad()
  for (const row of chosen) {
    await rows[row]()
    endAll()
  }
  printLoad('')
  if (commit !== undefined && (await printComparison(commit)) > 0) process.exitCode = 1
}

const { problem, ...wanted } = asked()
if (problem !== undefined) {
  console.log(problem)
  process.exitCode = 2
} else {
  try {
    await measure(wanted)
  } finally {
    endAll()
  }
}
