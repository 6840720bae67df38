/**
 * This build beside that of a commit, which is built in a folder of its own: which figures have become worse. All rounds are
 * by turns, and a figure counts as worse, or better, only if every round says so and the median by a tenth.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, options } from './figures.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What is compared if no row is named: `cold`, `three` and `pool` take long, or are compared with etcd. */
export const usualRows = ['get', 'put', 'load', 'register', 'watchers', 'idle']
const usualRounds = '5'
/** Less than this is noise, also on a quiet machine. */
const noise = 0.1
/** Larger figures are better; all others are times, CPU or memory. */
const rates = ['per s']
/** Not of the program. */
const leftOut = ['of it files']

const run = (program, args, cwd = root) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

function hashOf(commit) {
  try {
    return execFileSync('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], {
      cwd: root,
      encoding: 'utf8',
    }).trim()
  } catch (cause) {
    if (cause.code === 'ENOENT') throw new Error('git is not installed')
    return undefined
  }
}

/** The folder with the build of a commit; made unless it is there from before. */
function buildOf(hash) {
  const folder = join(root, '.cache', 'bench', hash.slice(0, 12))
  if (existsSync(folder)) return folder
  console.log(`building ${hash.slice(0, 12)} in ${folder}`)
  const making = `${folder}.making`
  rmSync(making, { recursive: true, force: true })
  mkdirSync(making, { recursive: true })
  const archive = execFileSync('git', ['archive', hash], { cwd: root, maxBuffer: 1 << 30 })
  execFileSync('tar', ['-x'], { cwd: making, input: archive })
  const lock = (at) => readFileSync(join(at, 'package-lock.json'), 'utf8')
  if (lock(making) === lock(root)) symlinkSync(join(root, 'node_modules'), join(making, 'node_modules'))
  else run('npm', ['ci', '--no-audit', '--no-fund'], making)
  run('npm', ['run', 'build'], making)
  renameSync(making, folder)
  return folder
}

/** Before the rows are loaded, which read their options then. Returns why it cannot be done, or undefined. */
export function prepareComparison(commit) {
  if (!existsSync(join(root, '.git'))) return 'this is no checkout, so it has no other commits'
  const hash = hashOf(commit)
  if (hash === undefined) return `${commit}: there is no such commit in this checkout`
  options.set('with', buildOf(hash))
  options.set('name', hash.slice(0, 8))
  if (!options.has('rounds')) options.set('rounds', usualRounds)
  return undefined
}

/** `ratios`: this build to the other, round by round. */
export function verdictOf(column, ratios) {
  const worse = rates.includes(column) ? ratios.map((ratio) => 1 / ratio) : ratios
  if (worse.every((ratio) => ratio > 1) && median(worse) > 1 + noise) return 'WORSE'
  return worse.every((ratio) => ratio < 1) && median(worse) < 1 - noise ? 'better' : ''
}

/** One line for each figure of the printed tables. Returns how many have become worse. */
export async function printComparison(commit) {
  // Not at the beginning: it reads its options when it is loaded.
  const { printed } = await import('./rows/sides.mjs')
  let worse = 0
  console.log(
    `\nthis build to ${commit}\n\n| row | figure | ratio, median | least | most | |\n|---|---|---|---|---|---|`,
  )
  for (const { title, sides } of printed) {
    const [own, other] = sides
    for (const column of Object.keys(own.figures[0])) {
      const ratios = own.figures.map((figure, round) => figure[column] / other.figures[round][column])
      if (leftOut.includes(column) || !ratios.every(Number.isFinite)) continue
      const verdict = verdictOf(column, ratios)
      if (verdict === 'WORSE') worse++
      const cells = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
      console.log(`| ${title} | ${column} | ${cells.join(' | ')} | ${verdict} |`)
    }
  }
  console.log(worse === 0 ? '\nno figure has become worse' : `\n${worse} figures have become worse`)
  return worse
}
