import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type History, historyText } from '../../sim/checkers/keys/history-file.ts'
import type { KeyOperation } from '../../sim/checkers/keys/key-history.ts'
import { historyLines, judgeHistory } from '../../sim/report/history-report.ts'
import { KeyClient, type ReadAnswer } from '../../sim/workload/key-client.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'

/** How long a client waits for an answer. */
const answerWithinMs = 3_000
/** After no answer, or none that tells: the next server is asked after this, so that open writes stay few. */
const restMs = 50
/** Clients that share a key: with more, the search for an order of what they did could take too long. */
const clientsOfKey = 4
const searchStepsMax = 5_000_000

/**
 * Concurrent clients of real agents that write down what they asked and learnt, with the monotonic clock of this
 * process, in the same form as the simulator's. Each asks one thing at a time, one server after the other, and puts
 * values that are unique in the whole history.
 */
export class KeyRecorder {
  readonly operations: KeyOperation[] = []
  readonly #client: KeyClient
  readonly #servers: () => readonly Endpoint[]
  readonly #clients: number
  #round = 0
  #acknowledged = 0
  #asking = true
  readonly #done: Promise<unknown>

  /** Starts asking at once. `env`: that of this process, for its HTTP client, which sends a request once. */
  constructor(env: Env, clients: number, servers: () => readonly Endpoint[]) {
    this.#client = new KeyClient(env, answerWithinMs)
    this.#servers = servers
    this.#clients = clients
    this.#done = Promise.all(Array.from({ length: clients }, (_, at) => this.#run(at)))
  }

  /** Writes acknowledged so far. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  /** From now on clients use keys that no client used before. */
  nextRound(): void {
    this.#round++
  }

  /** Nothing new is asked; resolves when what is open has ended. */
  async stop(): Promise<void> {
    this.#asking = false
    await this.#done
  }

  /** Reads every key once more at this server, as one more client. Fails if it does not answer. */
  async readAll(server: Endpoint, client: string): Promise<void> {
    for (const key of new Set(this.operations.map((operation) => operation.key))) {
      const answer = await this.#read(client, server, key)
      if (answer === undefined) throw new Error(`no answer about ${key} from ${server.host}`)
    }
  }

  async #run(at: number): Promise<void> {
    for (let asked = 0; this.#asking; asked++) {
      const servers = this.#servers()
      const server = servers[(at + asked) % servers.length] as Endpoint
      const key = `round${this.#round}/${at % Math.ceil(this.#clients / clientsOfKey)}`
      if (!(await this.#ask(`client ${at + 1}`, server, key, asked))) await pause(restMs)
    }
  }

  /** Whether there was an answer. */
  async #ask(client: string, server: Endpoint, key: string, asked: number): Promise<boolean> {
    if (asked % 3 === 0) return (await this.#read(client, server, key)) !== undefined
    const value = `${client} ${asked}`
    if (asked % 3 === 1) {
      const remove = asked % 10 === 1
      const operation = this.#begin({ client, key, ...(remove ? { kind: 'delete' } : { kind: 'write', value }) })
      return this.#finish(operation, remove ? this.#client.remove(server, key) : this.#client.write(server, key, value))
    }
    const before = await this.#read(client, server, key)
    if (before === undefined) return false
    const operation = this.#begin({ client, key, kind: 'cas', expected: before.value, value })
    const index = before.value === undefined ? 0 : before.index
    return this.#finish(operation, this.#client.compareAndSet(server, key, index, value))
  }

  async #read(client: string, server: Endpoint, key: string): Promise<ReadAnswer | undefined> {
    const operation = this.#begin({ client, key, kind: 'read' })
    const answer = await this.#client.read(server, key, 'consistent')
    if (answer === undefined) return undefined
    operation.returnUs = Math.ceil(performance.now() * 1000)
    operation.outcome = 'ok'
    operation.found = answer.value
    return answer
  }

  async #finish(operation: KeyOperation, asked: Promise<boolean | undefined>): Promise<boolean> {
    const answer = await asked
    if (answer === undefined) return false
    operation.returnUs = Math.ceil(performance.now() * 1000)
    operation.outcome = answer ? 'ok' : 'refused'
    if (answer) this.#acknowledged++
    return true
  }

  #begin(part: Pick<KeyOperation, 'client' | 'key' | 'kind'> & Partial<KeyOperation>): KeyOperation {
    const operation: KeyOperation = {
      value: undefined,
      expected: undefined,
      consistency: 'consistent',
      callUs: Math.floor(performance.now() * 1000),
      returnUs: Number.POSITIVE_INFINITY,
      outcome: 'unknown',
      found: undefined,
      ...part,
    }
    this.operations.push(operation)
    return operation
  }
}

/** Fails unless a history is linearizable; then it is kept in a file, and the message says how to look at it. */
export function expectLinearizable(about: string, operations: readonly KeyOperation[]): void {
  const history: History = { about, staleDefaultUs: 0, operations }
  const judged = judgeHistory(history, searchStepsMax)
  if (judged.verdict === 'linearizable') return
  const file = join(tmpdir(), `svc-history-${process.pid}-${Math.floor(performance.now())}.jsonl`)
  writeFileSync(file, historyText(history))
  const lines = historyLines(file, judged).filter((line) => !line.endsWith(': linearizable'))
  throw new Error([...lines, `look at it with: svc-sim lincheck ${file} --html ${file}.html`].join('\n'))
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
