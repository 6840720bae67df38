import type { ReceivedResponse } from '../../src/dns-wire/question.ts'
import type { Env } from '../../src/env/env.ts'
import { clientHost, dnsEndpoint, httpEndpoint } from '../cluster/node-identity.ts'
import { faultAction } from '../faults/fault-schema.ts'
import { type RunResult, timeText } from '../report/run-report.ts'
import type { Answer } from '../scenario/answers.ts'
import type { DriverRequest } from '../scenario/driver.ts'
import { keysAt } from '../scenario/language/json-schema.ts'
import type { LoadedScenario } from '../scenario/language/load.ts'
import { step } from '../scenario/language/scenario-schema.ts'
import { ScenarioRun } from '../scenario/run.ts'
import { performStep } from '../scenario/steps.ts'
import { askDns, exchangeDns } from '../workload/dns-client.ts'
import type { Platform } from '../world/platform.ts'
import { Drive, type Turnstile } from './drive.ts'
import { problemsText, questionOf, type Span, spanMs } from './given.ts'
import { KeptStory } from './kept-story.ts'
import { optionsFile } from './library-page.ts'
import { FailedRun } from './run-test.ts'

/** Maximum number of story lines in the text of a failure: its end matters. */
const storyShown = 40
const failuresShown = 5
const readyWithinMs = 120_000
const lookEveryMs = 100
const answerWithinMs = 5_000
const closedText = 'the cluster is closed'

/** An answer over HTTP. */
export type Answered = Pick<Answer, 'status' | 'headers' | 'bytes'>

/** The description of a cluster, and the seed of the run. */
export interface PageAndSeed {
  readonly loaded: LoadedScenario
  readonly seed: number
}

/** A simulated cluster that a test directs. Every failure is an `Error`, because these are texts for people. */
export class LibraryCluster {
  readonly #run: ScenarioRun
  readonly #drive: Drive
  readonly #platform: Platform
  readonly #seed: number
  readonly #story = new KeptStory()
  /** Callbacks of answered requests; they arrive in a turn of the world, and are called between turns. */
  readonly #answered: (() => void)[] = []
  #faults = 0
  #result: RunResult | undefined
  #isClosed = false

  /** The platform is closed at the end. */
  constructor({ loaded, seed }: PageAndSeed, newPlatform: () => Platform, turnstile: Turnstile) {
    this.#seed = seed
    const platform = newPlatform()
    this.#platform = platform
    this.#run = new ScenarioRun({ loaded, seed, platform, onLine: (line) => this.#story.add(line) })
    const failure = (): Error | undefined => this.#failure()
    this.#drive = new Drive({ run: this.#run, platform, turnstile, failure })
  }

  /** Starts every agent, without letting time pass. */
  begin(): Promise<void> {
    return this.#run.begin()
  }

  /** Starts every agent, and lets time pass until all have joined and there is a leader. */
  async start(): Promise<void> {
    const { cluster } = this.#run
    await this.begin()
    const ready = new Set<string>()
    const endUs = this.#run.simulation.nowUs + readyWithinMs * 1000
    while (ready.size < cluster.nodeNames.length) {
      if (this.#run.simulation.nowUs > endUs) {
        const missing = cluster.nodeNames.filter((node) => !ready.has(node))
        throw new Error(`the cluster was not ready after ${readyWithinMs / 1000} s: ${missing.join(', ')}`)
      }
      for (const node of cluster.nodeNames) if (!ready.has(node) && (await this.#isReady(node))) ready.add(node)
      await this.advance(lookEveryMs)
    }
  }

  get nodes(): readonly string[] {
    return this.#run.cluster.nodeNames
  }

  /** Virtual milliseconds since the start. */
  get nowMs(): number {
    return this.#run.simulation.nowMs
  }

  get leader(): string | undefined {
    return this.#run.cluster.leader()
  }

  isRunning(node: string): boolean {
    return this.#run.cluster.isRunning(this.#named(node))
  }

  /**
   * Sends a request without letting time pass. `told` receives the answer, or the reason why there is none, once time
   * has passed.
   */
  send(node: string, request: DriverRequest, told: (answer: Answered | string) => void): void {
    const to = httpEndpoint(this.#run.cluster.identityOf(this.#named(node)))
    this.#run.driver.send(to, request, (answer) => this.#answered.push(() => told(answer)))
  }

  /** As `send`, with a packet for an agent's DNS interface. */
  sendDns(
    node: string,
    packet: Uint8Array,
    over: { readonly over: 'udp' | 'tcp'; readonly timeoutMs: number },
    told: (answer: Uint8Array | string) => void,
  ): void {
    const to = dnsEndpoint(this.#run.cluster.identityOf(this.#named(node)))
    const exchange = (env: Env): Promise<Uint8Array | string> => exchangeDns(env, clientHost(1), to, packet, over)
    this.#run.driver.begin(exchange, (answer) => this.#answered.push(() => told(answer)))
  }

  /** Lets this much time pass, or less: up to the first answer to a sent request. */
  async pass(ms: number): Promise<void> {
    await this.#drive.until(() => this.#answered.length > 0, ms)
    for (const tell of this.#answered.splice(0)) tell()
  }

  /** The answer, or in one word why there is none. */
  async ask(
    node: string,
    request: Omit<DriverRequest, 'timeoutMs'>,
    isOver: () => boolean,
    within: Span,
  ): Promise<Answer | string> {
    const to = httpEndpoint(this.#run.cluster.identityOf(this.#named(node)))
    const timeoutMs = spanMs(within)
    if (this.#isClosed) return closedText
    let answer: Answer | string | undefined
    this.#run.driver.send(to, { token: '', ...request, timeoutMs }, (told) => {
      answer = told
    })
    await this.#drive.until(() => answer !== undefined || isOver(), timeoutMs)
    return answer ?? (isOver() ? 'aborted' : `no answer within ${timeoutMs} ms`)
  }

  /** The DNS answer of this agent, or why there is none. */
  async resolve(node: string, name: string, type: string, within: Span): Promise<ReceivedResponse | string> {
    const to = dnsEndpoint(this.#run.cluster.identityOf(this.#named(node)))
    const timeoutMs = spanMs(within)
    const question = { ...questionOf(name, type), over: 'udp', timeoutMs } as const
    if (this.#isClosed) return closedText
    let answer: ReceivedResponse | string | undefined
    this.#run.driver.begin(
      (env) => askDns(env, clientHost(1), to, question),
      (told) => {
        answer = told
      },
    )
    await this.#drive.until(() => answer !== undefined, timeoutMs * 2)
    return answer ?? 'timeout'
  }

  async advance(span: Span): Promise<void> {
    this.#demandOpen()
    await this.#drive.until(() => false, spanMs(span))
  }

  /** False: the condition did not become true within this time. */
  async waitFor(isSo: () => boolean, within: Span): Promise<boolean> {
    this.#demandOpen()
    return this.#drive.until(isSo, spanMs(within))
  }

  /** Performs one action of the scenario language at once. */
  fault(action: Readonly<Record<string, unknown>>): void {
    this.#demandOpen()
    const parsed = faultAction.safeParse(action)
    if (!parsed.success)
      throw new Error(`no such fault: ${problemsText(parsed.error.issues, keysAt(['faults', 0, 'do', 0]))}`)
    const { decisions } = this.#run.simulation
    const draw = decisions.drawsOnce(decisions.identity('fault of a test', this.#faults++), 'fault')
    const deed = this.#run.injector.perform(parsed.data, this.#run.scopeOf(undefined, draw))
    if (!deed.ok) throw new Error(deed.error)
    this.#run.tell('fault', deed.value)
  }

  /** Performs one step of the scenario language to its end. An unmet expectation ends the run. */
  async step(given: Readonly<Record<string, unknown>>): Promise<void> {
    this.#demandOpen()
    const parsed = step.safeParse({ step: 'a step of the test', ...given })
    if (!parsed.success) throw new Error(`no such step: ${problemsText(parsed.error.issues, keysAt(['steps', 0]))}`)
    this.#run.tell('step', parsed.data.step)
    await this.#drive.aside(() => performStep(this.#run, parsed.data, ['scenario']))
    const error = this.#failure()
    if (error !== undefined) throw error
  }

  /** Ends every fault, and starts every agent that does not run. */
  mend(): void {
    this.#demandOpen()
    const { decisions } = this.#run.simulation
    this.#run.tell('fault', 'mend everything')
    decisions.because(decisions.identity('mended by a test', this.#faults++), () => this.#run.injector.mendEverything())
  }

  note(text: string): void {
    this.#run.tell('note', text)
  }

  story(): readonly string[] {
    return this.#story.lines()
  }

  /** Hash of everything that happened so far: equal for the same seed and the same calls. */
  hash(): string {
    return this.#result?.trace.hash ?? this.#run.simulation.finish().hash
  }

  /**
   * Judges what can be judged only at the end of a run; with `rest`, after everything was repaired and the cluster came
   * to rest.
   */
  async close(rest: boolean): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    try {
      this.#result = await this.#drive.aside(() => this.#ended(rest))
    } finally {
      this.#platform.close()
    }
    const error = this.#failure()
    if (error !== undefined) throw error
  }

  /** The world does not go on for calls that are still pending: nothing guards or judges it any more. */
  async #ended(rest: boolean): Promise<RunResult> {
    try {
      return await this.#run.end(rest)
    } finally {
      this.#drive.end(new Error(`${closedText}: c.close came before this call had ended`))
    }
  }

  async #isReady(node: string): Promise<boolean> {
    const { operatorToken: token } = this.#run.driver
    const request = { method: 'GET', target: '/v1/catalog/nodes', token }
    const answer = await this.ask(node, request, () => false, answerWithinMs)
    if (typeof answer === 'string' || answer.status !== 200) return false
    const known = answer.json()
    return Array.isArray(known) && known.length === this.nodes.length
  }

  #named(node: string): string {
    if (!this.nodes.includes(node)) throw new Error(`there is no agent '${node}': there are ${this.nodes.join(', ')}`)
    return node
  }

  /** What happened after the end would be judged by nothing. */
  #demandOpen(): void {
    if (this.#isClosed) throw new Error(`${closedText}: nothing happens in it after c.close`)
  }

  #failure(): Error | undefined {
    if (!this.#run.hasFailed()) return undefined
    const { failures } = this.#result ?? this.#run.result()
    const lines = failures
      .slice(0, failuresShown)
      .map(({ atUs, place, message }) => `${timeText(atUs)} ${placeOfTest(place)}: ${message}`)
    const story = this.story().slice(-storyShown)
    return new FailedRun(
      [`seed ${this.#seed}: what must hold does not`, ...lines, 'the end of the story:', ...story].join('\n'),
    )
  }
}

/** The page of a test is made from its options: its lines say nothing to the test's author. */
function placeOfTest(place: string): string {
  return place.startsWith(`${optionsFile}:`) ? 'expectation' : place
}
