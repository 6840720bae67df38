import { base64, textOf, utf8 } from '../../base/bytes.ts'
import { writeJson } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { pause } from '../../model/pause.ts'
import {
  jobKey,
  jobPrefix,
  type RemoteExecCall,
  remoteExecCallJson,
  remoteExecName,
  remoteExecRule,
} from '../../model/remote-exec.ts'
import { type Need, ownNode, type Standing, sightOf, standingOf, warnOfNoSight } from '../acl/missing-rules.ts'
import { ApiClient, failed, keyPath, misused, serverFlags } from '../api/client.ts'
import { jobBody, RemoteAnswers, type Said } from '../api/remote-answers.ts'
import type { CliCommand, CommandFlag, Invocation } from '../command.ts'
import { durationFlag } from '../flags/values.ts'
import { Interruption } from '../interruption.ts'
import { LockSession } from '../locks/held-lock.ts'
import { LinesByNode } from '../output.ts'
import { eventFilterFlags, eventFilters } from './event.ts'

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
    help: 'Stop waiting when nothing has arrived for this time, 1s at least. Default: 2s.',
  },
  {
    name: 'wait-repl',
    kind: 'text',
    value: '<duration>',
    help: 'Pause between writing the job and calling the nodes. Default: 100ms.',
  },
]

/** A working node sends this many signs of life within the wait of the caller, so that it does not count as gone. */
const signsOfLife = 2
/** Agents send a sign of life at most every 500 ms: with a shorter wait a working node would count as gone. */
const waitMinMs = 1_000
const durations = '2s or 100ms'

export const execCommand: CliCommand = {
  path: ['exec'],
  summary: 'Executes a command on nodes',
  operands: 'COMMAND...',
  about:
    'Runs COMMAND on every node that matches the filters and whose agent has disable_remote_exec set to false. A COMMAND ' +
    'of - is a script, read from standard input. Exits with 2 if the command failed anywhere, or a node that began did not ' +
    'end, and with 1 if no node acknowledged.',
  flags: [...execFlags, ...serverFlags],
  runsOperands: true,
  async run(invocation) {
    const plan = await planOf(invocation)
    if (!plan.ok) return misused(invocation, plan.error)
    const standing = await standingOf(invocation, await needsOf(invocation, plan.value))
    if (standing.missing.length > 0) {
      return failed(invocation, `Permission denied: the token lacks ${standing.missing.join(' and ')}`)
    }
    // Installed before there is a session: whatever was begun is removed again on an interruption.
    const interruption = new Interruption(invocation)
    try {
      return await runInSession(invocation, plan.value, standing, interruption)
    } finally {
      interruption.close()
    }
  },
}

/**
 * The rights that the caller's token needs. In another datacenter the session belongs to a node that is chosen there.
 */
async function needsOf(invocation: Invocation, { prefix }: Plan): Promise<readonly Need[]> {
  const elsewhere = typeof invocation.flags.get('datacenter') === 'string'
  const node = elsewhere ? undefined : await ownNode(invocation)
  return [
    ...(node === undefined ? [] : [{ resource: 'session', name: node, right: 'write' } as const]),
    jobNeed(prefix),
    { resource: 'event', name: remoteExecName, right: 'write' },
  ]
}

/** The right of the caller, and of each agent that is to run the job: both write below the prefix. */
function jobNeed(prefix: string): Need {
  return { resource: 'key', name: `${prefix}/`, right: 'write', prefix: true }
}

async function runInSession(
  invocation: Invocation,
  plan: Plan,
  standing: Standing,
  interruption: Interruption,
): Promise<number> {
  const client = new ApiClient(invocation)
  const begun = beginSession(invocation, client)
  const session = await Promise.race([begun, interruption.uttered])
  if (session === 'interrupted') {
    invocation.env.detach(begun.then((late) => (late.ok ? late.value.end() : undefined)))
    return failed(invocation, interruptedText)
  }
  if (!session.ok) return failed(invocation, `Error creating session: ${session.error}`)
  const call = { prefix: plan.prefix, session: session.value.id }
  try {
    const outcome = await carryOut(invocation, client, plan, call, interruption)
    if (!outcome.ok) return failed(invocation, outcome.error)
    return outcome.value === 'nobody' ? failed(invocation, nobodyText(plan, standing)) : outcome.value
  } finally {
    await session.value.end()
    const folder = `${call.prefix}/${call.session}/`
    const deleted = await client.expect('DELETE', keyPath(folder), [['recurse', '']])
    if (!deleted.ok) invocation.terminal.error(`Failed to delete the keys under ${folder}: ${deleted.error}\n`)
  }
}

function nobodyText({ prefix }: Plan, { isOn }: Standing): string {
  const text = 'No node acknowledged: agents run commands only with disable_remote_exec set to false'
  return isOn ? `${text}, and with a token that has ${remoteExecRule(prefix)}` : text
}

const interruptedText = 'Interrupted before any node was asked'

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
  const waitMs = durationFlag(flags, 'wait', 2_000, durations)
  if (!waitMs.ok) return waitMs
  if (waitMs.value < waitMinMs) {
    return err(
      `-wait ${String(flags.get('wait'))}: must be at least 1s, because nodes send heartbeats only every 500ms`,
    )
  }
  const replicationMs = durationFlag(flags, 'wait-repl', 100, durations)
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
  const times = { waitMs: waitMs.value, replicationMs: replicationMs.value }
  return ok({ prefix: jobPrefix(prefix), job, filters: filters.value, ...times })
}

/**
 * Begins the session with which the job's keys are deleted. In another datacenter it belongs to a server there, because
 * this agent's node is not in that datacenter.
 */
async function beginSession(invocation: Invocation, client: ApiClient): Promise<Result<LockSession, string>> {
  const { naming, env, flags } = invocation
  const about: Record<string, unknown> = { Name: `Remote Exec via ${naming.name} exec`, Behavior: 'delete' }
  if (typeof flags.get('datacenter') === 'string') {
    const answer = await client.expect('GET', `/v1/health/service/${naming.name}`, [['passing', '']])
    if (!answer.ok) return answer
    const { readHealthyNodes } = await import('../api/answers.ts')
    const node = readHealthyNodes(answer.value)?.[0]
    if (node === undefined) {
      await warnOfNoSight(invocation, 'server', [sightOf.nodes(), sightOf.service(naming.name)])
      return err('no server of that datacenter is healthy')
    }
    about['Node'] = node
  }
  return LockSession.begin(env, client, about)
}

async function carryOut(
  invocation: Invocation,
  client: ApiClient,
  plan: Plan,
  call: RemoteExecCall,
  interruption: Interruption,
): Promise<Result<number | 'nobody', string>> {
  const { env, flags, terminal } = invocation
  const tell = (text: string): void => {
    if (flags.get('verbose') === true) terminal.out(`==> ${text}\n`)
  }
  tell(`Created remote execution session: ${call.session}`)
  const written = await client.expect('PUT', keyPath(jobKey(call)), [['acquire', call.session]], plan.job)
  if (!written.ok) return err(`Failed to create job file: ${written.error}`)
  tell('Uploaded remote execution spec')
  await Promise.race([pause(env, plan.replicationMs), interruption.uttered])
  if (interruption.isUttered) return err(interruptedText)
  const payload = utf8(writeJson(remoteExecCallJson(call), false))
  const fired = await client.expect('PUT', `/v1/event/fire/${remoteExecName}`, plan.filters, payload)
  if (!fired.ok) return err(`Error firing event: ${fired.error}`)
  tell('Fired remote execute event')
  return followJob(invocation, new RemoteAnswers(env, client, call), plan.waitMs, interruption)
}

async function followJob(
  invocation: Invocation,
  answers: RemoteAnswers,
  waitMs: number,
  interruption: Interruption,
): Promise<Result<number | 'nobody', string>> {
  const { terminal } = invocation
  const tally = { acknowledged: 0, completed: 0, failed: 0 }
  const lines = new LinesByNode()
  const followed = await answers.follow(waitMs, (said) => show(invocation, said, tally, lines), interruption.uttered)
  terminal.out(lines.endAll())
  if (!followed.ok) return followed
  terminal.out(`${tally.completed} / ${tally.acknowledged} node(s) completed / acknowledged\n`)
  if (tally.acknowledged === 0) return ok('nobody')
  return ok(tally.failed > 0 || tally.completed !== tally.acknowledged ? 2 : 0)
}

function show(
  { flags, terminal }: Invocation,
  { node, word, value }: Said,
  tally: { acknowledged: number; completed: number; failed: number },
  lines: LinesByNode,
): void {
  const verbose = flags.get('verbose') === true
  if (word.kind === 'ack') {
    tally.acknowledged++
    if (verbose) terminal.out(`==> ${node}: acknowledged event\n`)
  } else if (word.kind === 'exit') {
    const text = textOf(value)
    tally.completed++
    if (text !== '0') tally.failed++
    terminal.out(`${lines.end(node)}==> ${node}: finished with exit code ${text}\n`)
  } else if (value.length === 0) {
    if (verbose) terminal.out(`==> ${node}: heartbeat received\n`)
  } else {
    terminal.out(lines.push(node, value))
  }
}
