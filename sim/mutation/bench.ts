import { invariant } from '../../src/base/invariant.ts'
import { type Ended, type Reply, type Request, replySchema, type Stuck } from '../pool/messages.ts'
import type { SentPage } from '../pool/warm-worker.ts'
import type { Worker, WorkerEnd } from '../pool/worker.ts'
import type { Killer } from './lines.ts'

/** A request to a worker. */
export interface Trial {
  readonly page: SentPage
  readonly seed: number
  /** 0: the unchanged program. */
  readonly mutant: number
  /** Maximum CPU time of the run, in milliseconds. */
  readonly cpuMaxMs: number
}

/** The run ended, or its process did. */
export type Tried =
  | ({ readonly kind: 'run' } & Pick<Ended, 'record' | 'reached' | 'loaded'>)
  | { readonly kind: 'ended'; readonly killer: Killer; readonly message: string; readonly cpuMs: number }

/** One warm worker of an instrumented program. When its process ends, another one replaces it. */
export class Bench {
  readonly #start: () => Worker
  readonly #pages: SentPage[] = []
  #worker: Worker | undefined

  constructor(start: () => Worker) {
    this.#start = start
  }

  close(): void {
    this.#worker?.kill()
    this.#worker = undefined
    this.#pages.length = 0
  }

  async run(trial: Trial): Promise<Tried> {
    this.#worker ??= this.#start()
    const { seed, mutant, cpuMaxMs } = trial
    const page = this.#pageOf(trial.page)
    this.#send({ kind: 'seed', page, seed, verify: false, mutant, cpuMaxMs: Math.ceil(cpuMaxMs) })
    let stuck: Stuck | undefined
    for (;;) {
      const said = await this.#worker.next()
      if ('end' in said) {
        this.close()
        return endedBy(said.end, stuck)
      }
      const reply: Reply = replySchema.parse(JSON.parse(said.line))
      if (reply.kind === 'stuck') stuck = reply
      if (reply.kind === 'ended') return { ...reply, kind: 'run' }
    }
  }

  #pageOf(page: SentPage): number {
    const known = this.#pages.indexOf(page)
    if (known !== -1) return known
    const number = this.#pages.push(page) - 1
    const demands = page.demands === undefined ? {} : { demands: page.demands }
    this.#send({ kind: 'page', page: number, file: page.loaded.file, text: page.text, ...demands })
    return number
  }

  #send(request: Request): void {
    invariant(this.#worker !== undefined, 'a worker is started before it is asked')
    this.#worker.send(JSON.stringify(request))
  }
}

/** Maximum number of lines of last output that are kept. */
const wordsMax = 6

function endedBy({ code, signal, errors }: WorkerEnd, stuck: Stuck | undefined): Tried {
  if (stuck !== undefined) {
    const at = (stuck.virtualUs / 1_000_000).toFixed(3)
    const message = `its CPU time is used up at ${at} virtual s, in ${stuck.stack[0] ?? 'an unknown place'}`
    return { kind: 'ended', killer: 'time', message, cpuMs: Math.round(stuck.cpuMs) }
  }
  const words = errors.split('\n').filter((line) => line.trim() !== '')
  const fatal = words.find((line) => /heap out of memory|: fatal: |Error/.test(line))
  const how = signal === undefined ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`
  const last = fatal ?? words.slice(-wordsMax).join('; ')
  return { kind: 'ended', killer: 'crash', message: `its process ended (${how}): ${last}`, cpuMs: 0 }
}
