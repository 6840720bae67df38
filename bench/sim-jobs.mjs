/**
 * How much faster a campaign is with more jobs: `node bench/sim-jobs.mjs [seeds] [jobs...]`, after a build, on a machine that does
 * nothing else. Runs seeds of scenarios/election-under-partition.yaml, whose run lasts some 20 virtual seconds, 200 if no
 * number is given, with one job and then with as many as there are cores, or with the numbers of jobs that are named:
 * `node bench/sim-jobs.mjs 1000 1 2`. Prints seconds, seeds a second and the CPU time of
 * each, and how many times faster than the first it was. Fails if a seed has another trace with another number of jobs.
 */
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

const [seeds = 200, ...named] = process.argv.slice(2).map(Number)
const jobsOf = named.length > 0 ? named : [1, availableParallelism()]
const root = fileURLToPath(new URL('..', import.meta.url))

function campaign(jobs) {
  const words = ['run', 'scenarios/election-under-partition.yaml', '--seeds', `1..${seeds}`, '--json']
  const startedMs = performance.now()
  const argv = ['bin/svc-sim.js', ...words, '--jobs', String(jobs)]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
  const seconds = (performance.now() - startedMs) / 1000
  if (status !== 0) throw new Error(`exit code ${status}: ${stderr}`)
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const cpuSeconds = records.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000
  return { jobs, seconds, cpuSeconds, traces: records.map(({ trace }) => trace) }
}

let first
for (const jobs of jobsOf) {
  const { seconds, cpuSeconds, traces } = campaign(jobs)
  first ??= { seconds, traces }
  const differing = traces.filter((trace, at) => trace !== first.traces[at]).length
  if (differing > 0) throw new Error(`${differing} of ${seeds} seeds have another trace with ${jobs} jobs`)
  console.log(
    `${jobs} jobs: ${seeds} seeds in ${seconds.toFixed(1)} s, ${(seeds / seconds).toFixed(1)} a second, ` +
      `${cpuSeconds.toFixed(1)} s of CPU, ${(first.seconds / seconds).toFixed(2)} times as fast as ${jobsOf[0]}`,
  )
}
