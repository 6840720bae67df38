import { base64, utf8 } from '../../base/bytes.ts'
import { parseDuration } from '../../base/duration.ts'
import { writeJson } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { productName } from '../../model/names.ts'
import { jobKey, type RemoteExecCall, remoteExecCallJson, remoteExecName } from '../../model/remote-exec.ts'
import { ApiClient, failed, misused, serverFlags } from '../client.ts'
import type { CliCommand, CommandFlag, Invocation } from '../command.ts'
import { eventFilterFlags, eventFilters } from '../event-filters.ts'
import { LockSession } from '../held-lock.ts'
import { keyPath } from '../key-path.ts'
import { jobBody, RemoteAnswers, type Said } from '../remote-answers.ts'

const execFlags: readonly CommandFlag[] = [
  ...eventFilterFlags,
  {
    name: 'prefix',
    kind: 'text',
    value: '<prefix>',
    help: `Where the job's keys are kept. Default: ${remoteExecName}.`,
  },
  {
    name: 'shell',
    kind: 'bool',
    help: 'Run the command by /bin/sh, which is what happens unless -shell=false is given.',
  },
  { name: 'verbose', kind: 'bool', help: 'Print what is being done.' },
  {
    name: 'wait',
    kind: 'text',
    value: '<duration>',
    help: 'When nothing has come for so long, nothing more is waited for. Default: 2s.',
  },
  {
    name: 'wait-repl',
    kind: 'text',
    value: '<duration>',
    help: 'Pause between the writing of the job and the call to the nodes. Default: 100ms.',
  },
]

/** A node tells its caller apart from one that is gone by a sign of life in this share of the wait. */
const signsOfLife = 2

export const execCommand: CliCommand = {
  path: ['exec'],
  summary: 'Executes a command on nodes',
  operands: 'COMMAND...',
  about:
    'Runs COMMAND on every node that the filters take and whose agent has disable_remote_exec set to false. A COMMAND ' +
    'of - is a script, read from standard input. Exits with 2 if the command failed anywhere, or a node that began did not end.',
  flags: [...execFlags, ...serverFlags],
  async run(invocation) {
    const plan = await planOf(invocation)
    if (!plan.ok) return misused(invocation, plan.error)
    const client = new ApiClient(invocation)
    const session = await beginSession(invocation, client)
    if (!session.ok) return failed(invocation, `Error creating session: ${session.error}`)
    const call = { prefix: plan.value.prefix, session: session.value.id }
    try {
      const outcome = await carryOut(invocation, client, plan.value, call)
      return outcome.ok ? outcome.value : failed(invocation, outcome.error)
    } finally {
      await session.value.end()
      await client.send('DELETE', keyPath(`${call.prefix}/${call.session}/`), [['recurse', '']])
    }
  },
}

interface Plan {
  readonly prefix: string
  readonly job: Uint8Array
  readonly filters: readonly (readonly [string, string])[]
  readonly waitMs: number
  readonly replicationMs: number
}

async function planOf(invocation: Invocation): Promise<Result<Plan, string>> {
  const { flags, args, terminal } = invocation
  if (args.length === 0) return err('Must specify a command to execute')
  const filters = eventFilters(flags)
  if (!filters.ok) return filters
  const waitMs = durationOf(flags, 'wait', 2_000)
  if (!waitMs.ok) return waitMs
  const replicationMs = durationOf(flags, 'wait-repl', 100)
  if (!replicationMs.ok) return replicationMs
  const prefix = flags.get('prefix') ?? remoteExecName
  if (typeof prefix !== 'string' || prefix === '' || prefix.startsWith('/'))
    return err(`-prefix ${String(prefix)}: not a prefix of keys`)
  const script = args.length === 1 && args[0] === '-' ? await terminal.readInput() : undefined
  if (script !== undefined && !script.ok) return err('the script on standard input is too large')
  const direct = flags.get('shell') === false
  const job = jobBody({
    command: script === undefined && !direct ? args.join(' ') : '',
    args: script === undefined && direct ? args : [],
    scriptBase64: script === undefined ? '' : base64(script.value),
    waitMs: waitMs.value / signsOfLife,
  })
  return ok({ prefix, job, filters: filters.value, waitMs: waitMs.value, replicationMs: replicationMs.value })
}

function durationOf(flags: Invocation['flags'], name: string, otherwise: number): Result<number, string> {
  const given = flags.get(name)
  if (typeof given !== 'string') return ok(otherwise)
  const duration = parseDuration(given)
  if (duration.ok && duration.value > 0) return duration
  return err(`-${name} ${given}: not a duration such as 2s or 100ms`)
}

/** Its keys go with it. In another datacenter it is one of a server there, for this agent's node is not of it. */
async function beginSession(invocation: Invocation, client: ApiClient): Promise<Result<LockSession, string>> {
  const { env, flags } = invocation
  const about: Record<string, unknown> = { Name: `Remote Exec via ${productName} exec`, Behavior: 'delete' }
  if (typeof flags.get('datacenter') === 'string') {
    const answer = await client.expect('GET', `/v1/health/service/${productName}`, [['passing', '']])
    if (!answer.ok) return answer
    const { readHealthyNodes } = await import('../answers.ts')
    const node = readHealthyNodes(answer.value)?.[0]
    if (node === undefined) return err('no server of that datacenter is in health')
    about['Node'] = node
  }
  return LockSession.begin(env, client, about)
}

async function carryOut(
  invocation: Invocation,
  client: ApiClient,
  plan: Plan,
  call: RemoteExecCall,
): Promise<Result<number, string>> {
  const { env, flags, terminal } = invocation
  const tell = (text: string): void => {
    if (flags.get('verbose') === true) terminal.out(`==> ${text}\n`)
  }
  tell(`Created remote execution session: ${call.session}`)
  const written = await client.expect('PUT', keyPath(jobKey(call)), [['acquire', call.session]], plan.job)
  if (!written.ok) return err(`Failed to create job file: ${written.error}`)
  tell('Uploaded remote execution spec')
  const pause = env.deferred<void>()
  env.timers.after(plan.replicationMs, () => pause.resolve())
  await pause.promise
  const payload = utf8(writeJson(remoteExecCallJson(call), false))
  const fired = await client.expect('PUT', `/v1/event/fire/${remoteExecName}`, plan.filters, payload)
  if (!fired.ok) return err(`Error firing event: ${fired.error}`)
  tell('Fired remote execute event')
  return followJob(invocation, new RemoteAnswers(env, client, call), plan.waitMs)
}

async function followJob(
  invocation: Invocation,
  answers: RemoteAnswers,
  waitMs: number,
): Promise<Result<number, string>> {
  const { terminal } = invocation
  let interrupted = false
  const listening = terminal.onSignal('SIGINT', () => {
    interrupted = true
  })
  const tally = { acknowledged: 0, completed: 0, failed: 0 }
  try {
    const followed = await answers.follow(
      waitMs,
      (said) => show(invocation, said, tally),
      () => interrupted,
    )
    if (!followed.ok) return followed
  } finally {
    listening.close()
  }
  terminal.out(`${tally.completed} / ${tally.acknowledged} node(s) completed / acknowledged\n`)
  return ok(tally.failed > 0 || tally.completed !== tally.acknowledged ? 2 : 0)
}

function show(
  { flags, terminal }: Invocation,
  { node, word, text }: Said,
  tally: { acknowledged: number; completed: number; failed: number },
): void {
  const verbose = flags.get('verbose') === true
  if (word.kind === 'ack') {
    tally.acknowledged++
    if (verbose) terminal.out(`==> ${node}: acknowledged event\n`)
  } else if (word.kind === 'exit') {
    tally.completed++
    if (text !== '0') tally.failed++
    terminal.out(`==> ${node}: finished with exit code ${text}\n`)
  } else if (text === '') {
    if (verbose) terminal.out(`==> ${node}: heartbeat received\n`)
  } else {
    const lines = text.replace(/\n$/, '').split('\n')
    terminal.out(lines.map((line) => `    ${node}: ${line}\n`).join(''))
  }
}
