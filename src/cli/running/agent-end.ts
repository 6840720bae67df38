import type { Agent } from '../../agent/assembly/agent.ts'
import type { AgentConfig } from '../../agent/settings/agent-config.ts'
import type { Closable, Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Terminal } from '../../env/terminal.ts'
import { failureText } from '../../model/failure.ts'

/** A graceful end that takes longer is cut short. Reference: configuration.md#graceful-leave-limit. */
const endWithinMs = 15_000

/** Time for the answer to a caller that told the agent to leave over HTTP, before the connections are closed. */
const lastAnswersMs = 100

/** The operations of a running agent that its end needs. */
export type EndingAgent = Pick<Agent, 'leave' | 'reload' | 'onFatal' | 'onLeft'>

type LeaveRules = Pick<AgentConfig, 'leaveOnTerminate' | 'skipLeaveOnInterrupt'>

/**
 * Serves the signals of a running agent until it ends, and gives the exit code: 0 when it has left the cluster, 1 when
 * it stopped without, was cut short, or met something it must not live with. `reloadsFirst`: a reload was requested
 * before it ran. Reference: configuration.md#leaving, command-line.md#signals.
 */
export async function untilEnded(
  env: Env,
  terminal: Pick<Terminal, 'onSignal'>,
  rules: LeaveRules,
  agent: EndingAgent,
  stop: () => Promise<void>,
  reloadsFirst = false,
): Promise<number> {
  const ending = new Ending(env, agent, stop)
  agent.onFatal((failure) => ending.broken(failure.message))
  agent.onLeft(() => ending.left())
  terminal.onSignal('SIGINT', () => ending.signal('interrupt', !rules.skipLeaveOnInterrupt))
  terminal.onSignal('SIGTERM', () => ending.signal('terminated', rules.leaveOnTerminate))
  const reloads = new Reloads(env, agent)
  terminal.onSignal('SIGHUP', () => reloads.signal())
  if (reloadsFirst) reloads.signal()
  const code = await ending.over.promise
  ending.close()
  env.log.write('info', 'agent', `Exit code: ${code}`)
  return code
}

class Ending {
  readonly over: Deferred<number>
  readonly #env: Env
  readonly #agent: EndingAgent
  readonly #stop: () => Promise<void>
  readonly #limits: Closable[] = []
  #signalled = false
  #stopping = false

  constructor(env: Env, agent: EndingAgent, stop: () => Promise<void>) {
    this.#env = env
    this.#agent = agent
    this.#stop = stop
    this.over = env.deferred()
  }

  broken(reason: string): void {
    this.#log('error', `stopping: ${reason}`)
    this.over.resolve(1)
  }

  signal(name: string, leaves: boolean): void {
    if (this.#signalled) {
      this.#log('info', `Caught second signal: ${name}. Exiting`)
      return this.over.resolve(1)
    }
    this.#signalled = true
    this.#log('info', `Caught signal:  ${name}`)
    if (!leaves) {
      this.#log('info', 'Graceful shutdown disabled. Exiting')
      return this.#stopThen(1)
    }
    this.#log('info', 'Gracefully shutting down agent...')
    this.#within(() => {
      this.#log('error', 'Timeout on graceful leave. Exiting')
      this.over.resolve(1)
    })
    this.#env.detach(this.#leave())
  }

  /** The agent has left, because of a signal or on a request over HTTP. */
  left(): void {
    this.#log('info', 'Graceful exit completed')
    this.#env.timers.after(lastAnswersMs, () => this.#stopThen(0))
  }

  /** The agent has ended: its limits of time do not apply any more. */
  close(): void {
    for (const limit of this.#limits) limit.close()
  }

  async #leave(): Promise<void> {
    const left = await this.#agent.leave()
    if (left.ok) return
    this.#log('error', `Error on leave: ${failureText(left.error)}`)
    this.#stopThen(1)
  }

  #stopThen(code: number): void {
    if (this.#stopping) return
    this.#stopping = true
    this.#within(() => this.over.resolve(1))
    this.#env.detach(this.#stop().then(() => this.over.resolve(code)))
  }

  #within(late: () => void): void {
    this.#limits.push(this.#env.timers.after(endWithinMs, late))
  }

  #log(level: 'info' | 'error', message: string): void {
    this.#env.log.write(level, 'agent', message)
  }
}

/** One reload at a time; however many signals come in meanwhile, one more follows. */
class Reloads {
  readonly #env: Env
  readonly #agent: EndingAgent
  #running = false
  #again = false

  constructor(env: Env, agent: EndingAgent) {
    this.#env = env
    this.#agent = agent
  }

  signal(): void {
    this.#env.log.write('info', 'agent', 'Caught signal:  hangup')
    this.#again = true
    if (!this.#running) this.#env.detach(this.#run())
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#again) {
      this.#again = false
      this.#env.log.write('info', 'agent', 'Reloading configuration...')
      const reloaded = await this.#agent.reload()
      if (!reloaded.ok) this.#env.log.write('error', 'agent', `Reload config failed: ${failureText(reloaded.error)}`)
    }
    this.#running = false
  }
}
