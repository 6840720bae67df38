import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { ForegroundChild } from '../../env/terminal.ts'
import { variableName } from '../../model/naming/names.ts'
import { pause } from '../../model/pause.ts'
import { ApiClient, failed, misused, serverFlags } from '../api/client.ts'
import type { CliCommand, CommandFlag, Invocation } from '../command.ts'
import { durationFlag } from '../flags/values.ts'
import { type Held, HeldLock, type LockOptions, LockSession } from '../locks/held-lock.ts'
import { HeldSemaphore } from '../locks/held-semaphore.ts'

/** Time that a program has to end after its lock was lost, before it is killed. */
const graceMs = 5_000
/** Time for which killed processes are awaited: without an init process those whose parent has ended stay. */
const killedMs = 1_000
const pollMs = 50
const durations = '10s or 1m30s'
/** Maximum number of holders, because all of them are in the value of one key. */
const holdersMax = 1_000

const lockFlags: readonly CommandFlag[] = [
  { name: 'child-exit-code', kind: 'bool', help: 'Exit with 2 if CHILD fails, not with 0.' },
  {
    name: 'monitor-retry',
    kind: 'integer',
    value: '<n>',
    help: 'Number of failed lock checks to tolerate. Default: 3.',
  },
  { name: 'n', kind: 'integer', value: '<n>', help: 'Maximum number of holders at a time. Default: 1.' },
  { name: 'name', kind: 'text', value: '<name>', help: 'Name of the session.' },
  { name: 'pass-stdin', kind: 'bool', help: 'CHILD reads standard input.' },
  { name: 'shell', kind: 'bool', help: 'Run CHILD by /bin/sh, which is what happens unless -shell=false is given.' },
  { name: 'timeout', kind: 'text', value: '<duration>', help: 'Accepted for the sake of scripts; it has no effect.' },
  { name: 'try', kind: 'text', value: '<duration>', help: 'How long to wait for the lock. Default: for ever.' },
  { name: 'verbose', kind: 'bool', help: 'Print what is being done.' },
]

export const lockCommand: CliCommand = {
  path: ['lock'],
  summary: 'Execute a command holding a lock',
  operands: 'PREFIX CHILD...',
  about:
    'Acquires the lock at PREFIX/.lock, runs CHILD while it holds it, and releases it. CHILD is ended when the lock is lost. ' +
    'Exits with 2 if CHILD fails and -child-exit-code is given.',
  flags: [...lockFlags, ...serverFlags],
  runsOperands: true,
  async run(invocation) {
    const plan = planOf(invocation)
    if (!plan.ok) return misused(invocation, plan.error)
    const { lock, limit, name } = plan.value
    // The key that shows a contender alive must not outlive it; a lock's key is deleted by the holder that releases it.
    const about = limit === 1 ? { Name: name } : { Name: name, Behavior: 'delete' }
    const session = await LockSession.begin(invocation.env, lock.client, about)
    if (!session.ok) return failed(invocation, `Lock acquisition failed: ${session.error}`)
    try {
      return await runLocked(invocation, plan.value, session.value)
    } finally {
      await session.value.end()
    }
  },
}

interface Plan {
  readonly lock: LockOptions
  /** Holders at a time. */
  readonly limit: number
  /** The name of the session. */
  readonly name: string
  readonly argv: readonly [string, ...string[]]
  /** Time to try for; 0: without a limit. */
  readonly tryMs: number
}

function planOf(invocation: Invocation): Result<Plan, string> {
  const { naming, flags, args } = invocation
  const [prefix, ...child] = args
  if (prefix === undefined || child.length === 0) return err('Key prefix and child command must be specified')
  const holders = String(flags.get('n') ?? '1')
  const limit = Number(holders)
  if (!Number.isInteger(limit) || limit < 1 || limit > holdersMax)
    return err(`-n ${holders}: not a number from 1 to ${holdersMax}`)
  const tryMs = durationFlag(flags, 'try', 0, durations)
  if (!tryMs.ok) return tryMs
  const timeoutMs = durationFlag(flags, 'timeout', 0, durations)
  if (!timeoutMs.ok) return timeoutMs
  const retries = flags.get('monitor-retry') ?? '3'
  if (typeof retries !== 'string' || !/^\d{1,9}$/.test(retries)) {
    return err(`-monitor-retry ${String(retries)}: not a whole number of 0 or more`)
  }
  // Slashes at the ends or in a row are left out, as in the field: no path has them.
  const key = `${prefix}/.lock`.replace(/\/+/g, '/').replace(/^\//, '')
  const name = flags.get('name')
  const ownName = `${naming.title} lock for '${child.join(' ')}' at '${prefix}'`
  const [program = '', ...rest] = child
  const direct = flags.get('shell') === false
  return ok({
    lock: {
      env: invocation.env,
      client: new ApiClient(invocation),
      key,
      retries: Number(retries),
    },
    limit,
    name: typeof name === 'string' ? name : ownName,
    argv: direct ? [program, ...rest] : ['/bin/sh', '-c', child.join(' ')],
    tryMs: tryMs.value,
  })
}

async function runLocked(invocation: Invocation, plan: Plan, session: LockSession): Promise<number> {
  const { env, terminal } = invocation
  const { limit } = plan
  const lock = limit === 1 ? new HeldLock(plan.lock, session) : new HeldSemaphore(plan.lock, session, limit)
  const wish = new Wish(invocation)
  const giveUpMs = plan.tryMs === 0 ? Number.POSITIVE_INFINITY : env.clock.monoMs() + plan.tryMs
  try {
    const where =
      limit === 1
        ? `lock at path: ${plan.lock.key}`
        : `semaphore (limit ${limit}) at prefix: ${plan.lock.key.slice(0, -'.lock'.length)}`
    tell(invocation, `Setting up ${where}`)
    tell(invocation, 'Attempting lock acquisition')
    const held = await Promise.race([lock.acquire(() => giveUpMs - env.clock.monoMs()), wish.uttered])
    if (!held.ok) return failed(invocation, `Lock acquisition failed: ${held.error}`)
    if (!held.value) return failed(invocation, 'Shutdown triggered or timeout during lock acquisition')
    tell(invocation, 'Starting handler')
    const input = invocation.flags.get('pass-stdin') === true
    const environment = new Map([[variableName(invocation.naming, 'LOCK_HELD'), 'true']])
    const child = await terminal.startChild(plan.argv, { environment, input })
    if (!child.ok) terminal.error(`Error running handler: ${child.error.program}: ${child.error.message}\n`)
    const exit = child.ok ? await watched(invocation, child.value, lock, wish) : 'not started'
    tell(invocation, 'Child terminated, releasing lock')
    const cleaned = await lock.release()
    if (!cleaned.ok) return failed(invocation, `Lock release failed: ${cleaned.error}`)
    tell(invocation, cleaned.value ? 'Cleanup succeeded' : 'Cleanup aborted, lock in use')
    return exit === 0 || invocation.flags.get('child-exit-code') !== true ? 0 : 2
  } finally {
    wish.close()
  }
}

/** How the program ended: by itself, or because its lock was lost or this command is to end. */
async function watched(
  invocation: Invocation,
  child: ForegroundChild,
  lock: Held,
  wish: Wish,
): Promise<number | string> {
  const { env, terminal } = invocation
  let over = false
  const ending = new Ending(invocation, child)
  const end = (why: string): void => {
    if (!over) ending.begin(why)
  }
  wish.onWish(() => end('Shutdown triggered, terminating child'))
  env.detach(lock.lost(() => over).then(() => end('Lock lost, terminating child')))
  const exit = await child.ended
  await ending.settled()
  over = true
  if (exit !== 0) {
    terminal.error(`Error running handler: ${typeof exit === 'number' ? `exit status ${exit}` : `signal: ${exit}`}\n`)
  }
  return exit
}

/** Ends a program: asks it to, and kills it if it has not ended after the grace time. */
class Ending {
  readonly #invocation: Invocation
  readonly #child: ForegroundChild
  #killing: Closable | undefined
  #killMs = 0

  constructor(invocation: Invocation, child: ForegroundChild) {
    this.#invocation = invocation
    this.#child = child
  }

  begin(why: string): void {
    const { env } = this.#invocation
    tell(this.#invocation, why)
    this.#send('SIGTERM')
    if (this.#killing !== undefined) return
    this.#killMs = env.clock.monoMs() + graceMs
    this.#killing = env.timers.after(graceMs, () => this.#send('SIGKILL'))
  }

  /**
   * Settles when nothing of the program runs any more: a shell ends at SIGTERM at once, and what it has started may still
   * do what the lock protects. At once if the program ended by itself: then it may leave something running.
   */
  async settled(): Promise<void> {
    if (this.#killing === undefined) return
    const { env } = this.#invocation
    while (this.#child.lives() && env.clock.monoMs() < this.#killMs + killedMs) await pause(env, pollMs)
    this.#killing.close()
  }

  #send(signal: 'SIGTERM' | 'SIGKILL'): void {
    const sent = this.#child.signal(signal)
    if (!sent.ok) this.#invocation.terminal.error(`Failed to terminate child, waiting for it to end: ${sent.error}\n`)
  }
}

/** The wish that this command ends, by a signal or by its input. */
class Wish {
  /** Settles when the lock was not acquired. */
  readonly uttered: Promise<Result<false, string>>
  #toEnd = false
  #use: () => void = () => {}
  readonly #listening: readonly { close(): void }[]

  constructor({ env, terminal }: Invocation) {
    const uttered = env.deferred<Result<false, string>>()
    this.uttered = uttered.promise
    const wanted = (): void => {
      this.#toEnd = true
      uttered.resolve(ok(false))
      this.#use()
    }
    this.#listening = [terminal.onSignal('SIGINT', wanted), terminal.onSignal('SIGTERM', wanted)]
  }

  onWish(use: () => void): void {
    this.#use = use
    if (this.#toEnd) use()
  }

  close(): void {
    for (const one of this.#listening) one.close()
  }
}

function tell({ flags, terminal }: Invocation, text: string): void {
  if (flags.get('verbose') === true) terminal.out(`${text}\n`)
}
