import { z } from 'zod'
import type { ActionWitness } from '../faults/action-scope.ts'
import type { FaultAction } from '../faults/fault-schema.ts'
import type { Fired } from '../faults/schedule.ts'
import { Selector } from '../notation/selector.ts'
import type { LoadedScenario } from './language/load.ts'

/** Firings that an account has at most; a run with more of them is made smaller by its rules first. */
const firingsMax = 5_000

const count = z.int().min(0)
const timeUs = z.number().min(0)

/** One firing of a rule of the page, as it was. */
const firingSchema = z.strictObject({
  /** Place of the rule among those of the page. */
  rule: count,
  /** Which event or turn it was, as `nth` counts. */
  nth: count,
  atUs: timeUs,
  it: z.string().optional(),
  afterMs: z.number(),
  /** What was done, in the form of a page, with the nodes that were chosen and the time that was drawn. */
  did: z.array(z.json()),
})

/** What a run tells of itself beside its verdict, so that a page can be written that has only what mattered. */
export const accountSchema = z.strictObject({
  firings: z.array(firingSchema).max(firingsMax),
  /** When each step began that has begun, in their order. */
  stepsUs: z.array(timeUs),
  /** When everything was mended; absent: it failed before. */
  restUs: timeUs.optional(),
  /** Path in the page of the expectation that was not met first; absent: it was an invariant, or nothing. */
  unmet: z.array(z.union([z.string(), z.number()])).optional(),
})

export type Account = z.infer<typeof accountSchema>
export type Firing = z.infer<typeof firingSchema>

/** Takes down what a run tells. */
export class RunAccount {
  readonly #loaded: LoadedScenario
  readonly #firings: Firing[] = []
  readonly #stepsUs: number[] = []
  #restUs: number | undefined
  #unmet: (string | number)[] | undefined

  constructor(loaded: LoadedScenario) {
    this.#loaded = loaded
  }

  get account(): Account {
    return {
      firings: this.#firings,
      stepsUs: this.#stepsUs,
      ...(this.#restUs === undefined ? {} : { restUs: this.#restUs }),
      ...(this.#unmet === undefined ? {} : { unmet: this.#unmet }),
    }
  }

  stepBegins(nowUs: number): void {
    this.#stepsUs.push(nowUs)
  }

  restBegins(nowUs: number): void {
    this.#restUs ??= nowUs
  }

  unmet(path: readonly PropertyKey[]): void {
    this.#unmet ??= path.map((part) => (typeof part === 'number' ? part : String(part)))
  }

  fired({ rule, nth, it, afterMs }: Fired, nowUs: number): void {
    if (this.#firings.length >= firingsMax) return
    this.#firings.push({ rule, nth, atUs: nowUs, ...(it === undefined ? {} : { it }), afterMs, did: [] })
  }

  /** Sees an action of the rule that fired last; `done` takes it down. */
  witness(action: FaultAction): ActionWitness & { done(): void } {
    const chosen = new Map<Selector, readonly string[]>()
    let lastsMs: number | undefined
    return {
      chose: (selector, nodes) => void chosen.set(selector, nodes),
      lasts: (spanMs) => {
        lastsMs = spanMs
      },
      done: () => {
        const firing = this.#firings.at(-1)
        const raw = firing === undefined ? undefined : this.#written(firing.rule, action)
        if (firing === undefined || raw === undefined) return
        const did = asItWas(raw, action, chosen) as Readonly<Record<string, z.core.util.JSONType>>
        firing.did.push(lastsMs === undefined ? did : { ...did, for: `${Math.round(lastsMs * 1000) / 1000}ms` })
      },
    }
  }

  /** The action as the page has it. */
  #written(rule: number, action: FaultAction): unknown {
    const { scenario, document } = this.#loaded
    for (const key of ['do', 'one of'] as const) {
      const at = scenario.faults?.[rule]?.[key]?.indexOf(action) ?? -1
      if (at >= 0) return (document.value as Pages).faults?.[rule]?.[key]?.[at]
    }
    return undefined
  }
}

interface Pages {
  readonly faults?: readonly Readonly<Record<string, readonly unknown[]>>[]
}

/** What the page has there, with names in place of every selection. */
function asItWas(raw: unknown, read: unknown, chosen: ReadonlyMap<Selector, readonly string[]>): unknown {
  if (read instanceof Selector) return chosen.get(read)?.join(', ') ?? raw
  if (Array.isArray(read)) return read.map((item, at) => asItWas((raw as readonly unknown[])[at], item, chosen))
  if (!isRecord(read)) return raw
  const has = isRecord(raw) ? raw : {}
  const entries = Object.entries(read).flatMap(([key, item]): [string, unknown][] => {
    // A selection that the page leaves to the language is written out, another default is not.
    if (has[key] === undefined && !(item instanceof Selector)) return []
    return item === undefined ? [] : [[key, asItWas(has[key], item, chosen)]]
  })
  // What is read into an object and is none, such as a range, stands as it is written.
  return isRecord(raw) || entries.length > 0 ? Object.fromEntries(entries) : raw
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
