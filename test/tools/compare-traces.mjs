import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Runs every scenario by two builds of the project and compares verdicts and hashes of traces: a change of structure alone
 * leaves all of them equal. Files are named below `scenarios` of the first project; both builds read its pages, so that only
 * the programs differ. Without names these are all but the hunts and the long ones. Prints a line for each scenario that
 * differs, and the counts. Exit codes: 0 all are equal, 1 some differ, 2 wrong use.
 */
const usage =
  'usage: node test/tools/compare-traces.mjs <built project> <built project> [--seeds 1..2] [scenario file...]\n'
const usualSeeds = '1..2'

async function main() {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { seeds: { type: 'string' } } })
  const [one, other, ...named] = positionals
  if (one === undefined || other === undefined) {
    process.stderr.write(usage)
    return 2
  }
  const pages = join(resolve(one), 'scenarios')
  const files = named.length > 0 ? named : scenariosBelow(pages)
  const left = [...files]
  let differing = 0
  const compareNext = async () => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      const [before, after] = [
        await traces(one, join(pages, file), values),
        await traces(other, join(pages, file), values),
      ]
      if (before === after) continue
      differing++
      process.stdout.write(
        `${file}:\n  ${before.replaceAll('\n', '\n  ')}\n  became\n  ${after.replaceAll('\n', '\n  ')}\n`,
      )
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, compareNext))
  process.stdout.write(`${files.length - differing} of ${files.length} scenarios have equal traces\n`)
  return differing === 0 ? 0 : 1
}

function scenariosBelow(pages) {
  const names = readdirSync(pages, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.yaml') && !/^(hunts|long)\b/.test(name)).sort()
}

/** A line for each seed; what the program said instead, where it ran none. */
function traces(project, page, { seeds = usualSeeds }) {
  const argv = ['bin/svc-sim.js', 'run', relative(resolve(project), page), '--seeds', seeds, '--json']
  const child = spawn(process.execPath, argv, { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  child.stdout.on('data', (bytes) => (output += bytes))
  child.stderr.on('data', (bytes) => (errors += bytes))
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', (code) => {
      const lines = output.split('\n').filter((line) => line.startsWith('{'))
      const runs = lines.map((line) => JSON.parse(line))
      const shown = runs.map(({ seed, verdict, trace }) => `seed ${seed} ${verdict} ${trace.slice(0, 16)}`)
      done(shown.length > 0 ? shown.join('\n') : `exit code ${code}, no run: ${errors.trim()}`)
    })
  })
}

process.exitCode = await main()
