import { utf8 } from '../../base/bytes.ts'
import { writeJson } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { agentOnlyTypes, indexVariables, type WatchPlan, watchPlan } from '../../features/watch/model.ts'
import { headerSaid } from '../../model/naming/names.ts'
import { ApiClient, failed, misused, serverFlags } from '../api/client.ts'
import type { CliCommand, CommandFlag, Invocation } from '../command.ts'
import { printBytes } from '../output.ts'

const watchFlags: readonly CommandFlag[] = [
  {
    name: 'type',
    kind: 'text',
    value: '<type>',
    help: 'What is watched: key, keyprefix, services, nodes, service, checks or event.',
  },
  { name: 'key', kind: 'text', value: '<key>', help: 'With -type=key: the key to watch.' },
  { name: 'prefix', kind: 'text', value: '<prefix>', help: 'With -type=keyprefix: the prefix of the keys to watch.' },
  {
    name: 'service',
    kind: 'text',
    value: '<name>',
    help: 'With -type=service: the service to watch. With -type=checks: only checks of this service.',
  },
  { name: 'tag', kind: 'text', value: '<tag>', help: 'With -type=service: only instances with this tag.' },
  { name: 'passingonly', kind: 'bool', help: 'With -type=service: only healthy instances.' },
  {
    name: 'state',
    kind: 'text',
    value: '<state>',
    help: 'With -type=checks: only checks in this state: passing, warning, critical or any.',
  },
  { name: 'name', kind: 'text', value: '<name>', help: 'With -type=event: only user events of this name.' },
  {
    name: 'filter',
    kind: 'text',
    value: '<expression>',
    help: 'With -type=nodes, -type=service or -type=checks: only entries for which this expression holds.',
  },
  { name: 'shell', kind: 'bool', help: 'Run CHILD by /bin/sh, which is what happens unless -shell=false is given.' },
]

export const watchCommand: CliCommand = {
  path: ['watch'],
  summary: 'Watch for changes',
  operands: '[CHILD...]',
  about:
    'Without CHILD, prints the present result. With CHILD, runs it at first and after each change, with the JSON on its standard input.',
  flags: [...watchFlags, ...serverFlags],
  runsOperands: true,
  async run(invocation) {
    const plan = planOf(invocation)
    if (!plan.ok) return misused(invocation, plan.error)
    const client = new ApiClient(invocation)
    return invocation.args.length === 0 ? once(invocation, client, plan.value) : follow(invocation, client, plan.value)
  },
}

function planOf({ flags }: Invocation): Result<WatchPlan, string> {
  const text = (name: string): string | undefined => {
    const value = flags.get(name)
    return typeof value === 'string' ? value : undefined
  }
  const type = text('type') ?? ''
  if (agentOnlyTypes.has(type)) return err(`Type ${type} is not supported in the CLI tool`)
  return watchPlan({
    type,
    key: text('key'),
    prefix: text('prefix'),
    service: text('service'),
    tag: text('tag'),
    passingOnly: flags.get('passingonly') === true,
    state: text('state'),
    name: text('name'),
    filter: text('filter'),
  })
}

async function once(invocation: Invocation, client: ApiClient, plan: WatchPlan): Promise<number> {
  const { readAnswer } = await import('../../features/watch/watching.ts')
  const answer = await ask(client, plan, plan.query)
  const read = answer.ok ? readAnswer(plan, answer.value) : answer
  if (!read.ok) return failed(invocation, `Error querying agent: ${read.error}`)
  invocation.terminal.out(`${writeJson(read.value.value, true).trimEnd()}\n`)
  return 0
}

/** A child that runs for longer is killed. */
const childTimeoutMs = 86_400_000
const childOutputBytesMax = 4 << 20
/** Time that a child has to end after this command was told to end, before it is killed. */
const childGraceMs = 5_000
/** Shorter than the time limit of a request. */
const wait = '45s'

/** Runs until a signal comes or a child fails. */
async function follow(invocation: Invocation, client: ApiClient, plan: WatchPlan): Promise<number> {
  const { Watching } = await import('../../features/watch/watching.ts')
  const { naming, env, terminal, args, flags } = invocation
  const [program = '', ...rest] = args
  const argv =
    flags.get('shell') === false ? ([program, ...rest] as const) : (['/bin/sh', '-c', args.join(' ')] as const)
  const ended = env.deferred<number>()
  const unwanted = env.deferred<void>()
  let running: Promise<unknown> = Promise.resolve()
  const watching = new Watching(env, {
    plan,
    wait,
    ask: (query) => ask(client, plan, query),
    failed: (why) => terminal.error(`Error querying agent: ${why}\n`),
    handle: async ({ index, value }) => {
      const input = utf8(`${writeJson(value, false)}\n`)
      const environment = indexVariables({ naming, aliases: [] }, String(index))
      const limits = { timeoutMs: childTimeoutMs, graceMs: childGraceMs, outputBytesMax: childOutputBytesMax }
      const child = env.processes.run(argv, { ...limits, environment, input, until: unwanted.promise })
      running = child
      const ran = await child
      if (ran.ok) printBytes(terminal, ran.value.output)
      const why = !ran.ok
        ? `cannot run ${argv[0]} (${ran.error.message}), name a program by its path`
        : ran.value.exit === 0
          ? undefined
          : `exit status ${ran.value.exit}`
      if (why !== undefined) ended.resolve(failed(invocation, `Error executing handler: ${why}`))
    },
  })
  const signals = (['SIGINT', 'SIGTERM'] as const).map((signal) => terminal.onSignal(signal, () => ended.resolve(0)))
  const code = await ended.promise
  watching.close()
  // Otherwise the end of this process would kill a child in the middle of its work.
  unwanted.resolve()
  await running
  for (const signal of signals) signal.close()
  return code
}

async function ask(client: ApiClient, plan: WatchPlan, query: WatchPlan['query']) {
  const answer = await client.send('GET', plan.path, query)
  if (!answer.ok) return err(answer.error)
  const { status, headers, body } = answer.value
  return ok({ status, index: headerSaid(headers, 'index'), body })
}
