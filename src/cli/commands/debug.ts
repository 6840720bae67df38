import { utf8 } from '../../base/bytes.ts'
import { formatDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { utcText } from '../../base/utc-text.ts'
import { newestRelease, releaseText } from '../../model/release.ts'
import { archiveOf, Capture, type CaptureTarget, captureTargets, writeFolder } from '../api/capture.ts'
import { ApiClient, clientFlags, failed, misused, surplusOperands } from '../api/client.ts'
import type { CliCommand, Invocation } from '../command.ts'
import { durationFlag } from '../flags/values.ts'
import { Interruption } from '../interruption.ts'

const durationMinMs = 10_000
const intervalMinMs = 5_000
/** Maximum seconds of a CPU profile, and the seconds that the other profiles take. */
const profileSecondsMax = 30
const profilesElseSeconds = 3
/** Maximum number of intervals, because what each gathered is kept until the end. */
const intervalsMax = 10_000
/** Names in an archive have at most 100 bytes; the names of the files follow the name of the folder. */
const folderBytesMax = 64

export const debugCommand: CliCommand = {
  path: ['debug'],
  summary: 'Records what an agent reports about itself, to find the cause of a problem',
  operands: '',
  about: `Writes OUTPUT.tar.gz, or with -archive=false the files themselves into OUTPUT. An interrupt ends it early.`,
  flags: [
    {
      name: 'archive',
      kind: 'bool',
      help: 'Write one compressed file, not a folder. Default: true; switch it off with -archive=false.',
    },
    {
      name: 'capture',
      kind: 'list',
      value: '<target>',
      help: `One of ${captureTargets.join(', ')}; may be repeated. Default: all of them.`,
    },
    { name: 'duration', kind: 'text', value: '<duration>', help: 'For how long to record, 10s at least. Default: 2m.' },
    {
      name: 'interval',
      kind: 'text',
      value: '<duration>',
      help: 'Interval between two recordings, 5s at least. Default: 30s, or the duration if that is shorter.',
    },
    {
      name: 'output',
      kind: 'text',
      value: '<path>',
      help: 'Path of the folder, or of the archive without .tar.gz. Default: svc-debug-<time>, the time in seconds since 1970.',
    },
    ...clientFlags,
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const plan = await planOf(invocation)
    if (!plan.ok) return failed(invocation, `==> Capture validation failed: ${plan.error}`)
    const written = await record(invocation, plan.value)
    if (!written.ok) return failed(invocation, `==> ${written.error}`)
    invocation.terminal.out(`==> Saved debug archive: ${written.value}\n`)
    return 0
  },
}

interface Plan {
  readonly durationMs: number
  readonly intervalMs: number
  readonly targets: readonly CaptureTarget[]
  /** Without the ending of an archive. */
  readonly output: string
  readonly archive: boolean
}

async function planOf({ naming, env, flags }: Invocation): Promise<Result<Plan, string>> {
  const durationMs = spanOf(flags, 'duration', 120_000, durationMinMs)
  if (!durationMs.ok) return durationMs
  // If only the duration is given, a short one gets a fitting interval.
  const intervalMs = spanOf(flags, 'interval', Math.min(30_000, durationMs.value), intervalMinMs)
  if (!intervalMs.ok) return intervalMs
  if (intervalMs.value > durationMs.value) return err('interval must not be longer than the duration')
  if (durationMs.value / intervalMs.value > intervalsMax)
    return err(`there must be no more than ${intervalsMax} intervals`)
  const targets = targetsOf(flags.get('capture'))
  if (!targets.ok) return targets
  const given = flags.get('output')
  const output = typeof given === 'string' ? given : `${naming.name}-debug-${unixSeconds(env.clock.wallMs())}`
  const archive = flags.get('archive') !== false
  const path = archive ? `${output}.tar.gz` : output
  if (utf8(folderOf(output)).length > folderBytesMax)
    return err(`the name of the output has more than ${folderBytesMax} bytes`)
  if (folderOf(output) === '') return err(`output path "${output}" names a directory: name a file in it`)
  const there = await env.disk.stat(path)
  if (there.ok) return err(`output path "${path}" exists already`)
  // Examined before the gathering: a missing directory would otherwise lose minutes of it.
  const directory = output.includes('/') ? output.slice(0, output.lastIndexOf('/') + 1) : '.'
  const around = await env.disk.stat(directory)
  if (!around.ok || around.value.kind !== 'directory') return err(`output directory "${directory}" is not there`)
  return ok({ durationMs: durationMs.value, intervalMs: intervalMs.value, targets: targets.value, output, archive })
}

function spanOf(flags: Invocation['flags'], name: string, otherwise: number, least: number): Result<number, string> {
  const span = durationFlag(flags, name, otherwise, '30s or 2m')
  return span.ok && span.value < least ? err(`${name} must be longer than ${formatDuration(least)}`) : span
}

function targetsOf(given: unknown): Result<readonly CaptureTarget[], string> {
  if (!Array.isArray(given)) return ok(captureTargets)
  const wanted = given.flatMap((text: string) => text.split(',').map((word) => word.trim()))
  const unknown = wanted.find((word) => !captureTargets.some((target) => target === word))
  if (unknown !== undefined) return err(`unknown capture ${JSON.stringify(unknown)}: ${captureTargets.join(', ')}`)
  return ok(captureTargets.filter((target) => wanted.includes(target)))
}

async function record(invocation: Invocation, plan: Plan): Promise<Result<string, string>> {
  const { env, terminal } = invocation
  const client = new ApiClient(invocation)
  const release = await agentRelease(client)
  if (!release.ok) return release
  terminal.out(headingOf(plan, release.value))
  const capture = new Capture(client, plan.targets, (line) => terminal.error(`==> ${line}\n`))
  const interruption = new Interruption(invocation)
  env.detach(capture.listen())
  await capture.begin()
  const endMs = env.clock.monoMs() + plan.durationMs
  for (let over = false; !over; ) {
    const began = env.clock.wallMs()
    capture.profile(unixSeconds(began), profileSeconds(plan.intervalMs))
    const pause = env.deferred<'over'>()
    const leftMs = endMs - env.clock.monoMs()
    const timer = env.timers.after(Math.max(0, Math.min(plan.intervalMs, leftMs)), () => pause.resolve('over'))
    over = (await Promise.race([pause.promise, interruption.uttered])) === 'interrupted' || leftMs <= plan.intervalMs
    timer.close()
    await capture.mark(unixSeconds(began), interruption.uttered)
    terminal.out(`==> Capture successful ${utcText(began)}\n`)
  }
  interruption.close()
  return write(invocation, plan, capture, release.value)
}

/** The seconds of a CPU profile: the interval without the time for the other profiles. */
function profileSeconds(intervalMs: number): number {
  return Math.min(profileSecondsMax, Math.max(1, Math.floor(intervalMs / 1_000) - profilesElseSeconds))
}

async function agentRelease(client: ApiClient): Promise<Result<string, string>> {
  const self = await client.expect('GET', '/v1/agent/self')
  if (!self.ok) return err(`error querying target agent: ${self.error}. verify connectivity and agent address`)
  const { readAgentRelease } = await import('../api/answers.ts')
  const release = readAgentRelease(self.value)
  return release === undefined ? err('error querying target agent: the answer is not that of an agent') : ok(release)
}

function headingOf({ targets, output, intervalMs, durationMs }: Plan, release: string): string {
  const facts = [
    ['Agent Version', release],
    ['Interval', formatDuration(intervalMs)],
    ['Duration', formatDuration(durationMs)],
    ['Output', output],
    ['Capture', targets.join(', ')],
  ] as const
  const lines = facts.map(([name, value]) => `${name.padStart(18)}: '${value}'\n`)
  return `==> Starting debugger and capturing static information...\n${lines.join('')}`
}

async function write(
  { env }: Invocation,
  plan: Plan,
  capture: Capture,
  agentRelease: string,
): Promise<Result<string, string>> {
  const about = {
    Version: releaseText(newestRelease),
    AgentVersion: agentRelease,
    Interval: formatDuration(plan.intervalMs),
    Duration: formatDuration(plan.durationMs),
    Targets: plan.targets,
  }
  const files = [...capture.files, { name: 'index.json', bytes: utf8(`${JSON.stringify(about, undefined, 2)}\n`) }]
  if (!plan.archive) {
    const written = await writeFolder(env.disk, plan.output, files)
    return written.ok ? ok(plan.output) : written
  }
  const { writeArchiveFile } = await import('../files/archives.ts')
  const folder = folderOf(plan.output)
  const path = `${plan.output}.tar.gz`
  const archive = archiveOf(folder, files, unixSeconds(env.clock.wallMs()))
  const written = await writeArchiveFile(env.disk, path, archive)
  return written.ok ? ok(path) : written
}

function folderOf(output: string): string {
  return output.slice(output.lastIndexOf('/') + 1)
}

function unixSeconds(wallMs: number): number {
  return Math.floor(wallMs / 1_000)
}
