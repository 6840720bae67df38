import { certificateFacts } from './certificate-facts.ts'
import { headerNamed, holds, type Observed } from './conditions.ts'
import { dnsFacts, packetOf } from './dns-step.ts'
import { type Exact, parseExact } from './exact-json.ts'
import type { GoldenAnswer, GoldenRequest, GoldenTarget } from './golden-target.ts'
import { kind, lookup, places } from './json-path.ts'
import { Normaliser } from './normaliser.ts'
import { fill, firstVariables, type Recorded, type Sequence, type Step, stepId, type Variables } from './sequence.ts'

const requestTimeoutMs = 15_000
/** After this a request that was begun has arrived. */
const arrivalMs = 300
const retryMs = 100

export interface PlayOptions {
  /** Steps whose `until` is tried once: they are known not to hold yet. */
  readonly impatient?: (id: string) => boolean
}

interface Begun {
  readonly step: Step
  readonly answer: Promise<Result>
}

interface Result extends Observed {
  readonly answer: GoldenAnswer
}

/** Plays a sequence and gives what was answered to each step, normalised as the recordings are. */
export async function play(sequence: Sequence, target: GoldenTarget, options: PlayOptions = {}): Promise<Recorded[]> {
  return new Player(target, options).play(sequence)
}

class Player {
  readonly #target: GoldenTarget
  readonly #options: PlayOptions
  readonly #variables: Variables
  readonly #normaliser: Normaliser
  /** Names of the variables that are whole bodies, a character for each byte. */
  readonly #bodies = new Set<string>()
  readonly #begun = new Map<string, Begun>()

  constructor(target: GoldenTarget, options: PlayOptions) {
    this.#target = target
    this.#options = options
    this.#variables = firstVariables(target.ports)
    this.#normaliser = new Normaliser(target.ports)
  }

  async play(sequence: Sequence): Promise<Recorded[]> {
    const out: Recorded[] = []
    for (const [at, step] of sequence.steps.entries()) {
      const id = stepId(step, at)
      if (step.sleep !== undefined) await this.#target.pause(step.sleep * 1000)
      else if (step.dns !== undefined) out.push({ id, ...(await this.#question(step, step.dns)) })
      else if (step.spawn !== undefined) {
        this.#begun.set(step.spawn, { step, answer: this.#send(step) })
        await this.#target.pause(arrivalMs)
      } else out.push({ id, ...(await this.#play(step, id)) })
    }
    return out
  }

  async #play(step: Step, id: string): Promise<Omit<Recorded, 'id'>> {
    const result = step.join === undefined ? await this.#sendUntil(step, id) : await this.#join(step.join)
    for (const [name, where] of Object.entries(step.save ?? {})) {
      if (where === 'data') this.#bodies.add(name)
      this.#variables.set(name, saved(where, result) ?? `unset-${name}`)
    }
    const asserted = (step.assert ?? []).map((condition) => [condition, holds(condition, result, this.#variables)])
    const facts = step.x509 === undefined ? {} : { x509: this.#certificate(step.x509, result) }
    const recorded = { ...this.#record(step, result), ...facts }
    return asserted.length === 0 ? recorded : { ...recorded, assert: Object.fromEntries(asserted) }
  }

  #certificate(path: string, { json }: Result): Exact {
    return this.#normaliser.value(certificateFacts(lookup(json, path)))
  }

  async #question(step: Step, name: string): Promise<Omit<Recorded, 'id'>> {
    const packet = packetOf(step, String(fill(name, this.#variables)))
    const transport = step.tcp === true ? 'tcp' : 'udp'
    const answer = await this.#target.until(this.#target.beginDns({ packet, transport, timeoutMs: requestTimeoutMs }))
    if (answer.kind === 'error') return { error: answer.error }
    return { dns: dnsFacts(answer.packet, (record) => this.#normaliser.value(record)) }
  }

  async #join(name: string): Promise<Result> {
    const begun = this.#begun.get(name)
    this.#begun.delete(name)
    if (begun === undefined) throw new Error(`a sequence joins ${name}, which it has not spawned`)
    return this.#target.until(begun.answer)
  }

  async #sendUntil(step: Step, id: string): Promise<Result> {
    const patience = this.#options.impatient?.(id) === true ? 0 : (step.until_s ?? 10) * 1000
    const end = this.#target.nowMs() + patience
    for (;;) {
      const result = await this.#target.until(this.#send(step))
      const waited = (step.until ?? []).every((condition) => holds(condition, result, this.#variables))
      if (waited || this.#target.nowMs() >= end) return result
      await this.#target.pause(retryMs)
    }
  }

  async #send(step: Step): Promise<Result> {
    const startedMs = this.#target.nowMs()
    const answer = await this.#target.begin(this.#request(step))
    const elapsedSeconds = (this.#target.nowMs() - startedMs) / 1000
    if (answer.kind === 'error') return { answer, elapsedSeconds, headers: [], json: undefined }
    const { status, headers } = answer
    return { answer, elapsedSeconds, status, headers, json: decoded(answer.headers, answer.body) }
  }

  #request(step: Step): GoldenRequest {
    const line = String(fill(step.r ?? '', this.#variables))
    const space = line.indexOf(' ')
    const method = line.slice(0, space)
    const headers = Object.entries((fill({ ...step.h }, this.#variables) ?? {}) as Record<string, Exact>).map(
      ([name, value]): [string, string] => [name, String(value)],
    )
    if (step.token !== undefined) headers.push(['X-Svc-Token', String(fill(step.token, this.#variables))])
    const body = this.#body(step)
    if (body !== undefined || method === 'PUT' || method === 'POST') {
      headers.push(['Content-Length', String(body?.length ?? 0)])
    }
    return {
      method,
      target: line.slice(space + 1),
      headers,
      body,
      timeoutMs: step.timeout === undefined ? requestTimeoutMs : step.timeout * 1000,
      stream: step.stream === true,
    }
  }

  #body(step: Step): Uint8Array | undefined {
    if (step.text === undefined && step.json === undefined) return undefined
    // A whole body that was saved is sent again byte for byte.
    const whole = /^{{(\w+)}}$/.exec(step.text ?? '')?.[1]
    if (whole !== undefined && this.#bodies.has(whole)) {
      return Buffer.from(String(this.#variables.get(whole)), 'latin1')
    }
    if (step.text !== undefined) return Buffer.from(String(fill(step.text, this.#variables)))
    return step.json === undefined ? undefined : Buffer.from(written(fill(step.json, this.#variables)))
  }

  #record(step: Step, result: Result): Omit<Recorded, 'id'> {
    const { answer, json } = result
    if (answer.kind === 'error') return { error: answer.error }
    const head = { status: answer.status, headers: this.#normaliser.headers(answer.headers) }
    if (json !== undefined) return { ...head, json: this.#normaliser.value(this.#trimmed(step, json)) }
    if (step.binary === true) {
      const gzip = answer.body[0] === 0x1f && answer.body[1] === 0x8b
      return { ...head, binary: { gzip, empty: answer.body.length === 0 } }
    }
    if (step.textmask === true) return { ...head, text: answer.body.length > 0 ? '<text>' : '' }
    return { ...head, text: this.#normaliser.text(Buffer.from(answer.body).toString('utf8')) }
  }

  /** Drops, masks and sorts what the step says cannot be compared. */
  #trimmed(step: Step, json: Exact): Exact {
    const whole = { '': json }
    const at = (path: string) => (path === '' ? places(whole, '') : places(whole[''], path))
    for (const path of step.drop ?? []) for (const place of at(path)) place.remove()
    for (const path of step.mask ?? []) for (const place of at(path)) place.write(`<${kind(place.read())}>`)
    for (const path of step.sort ?? []) {
      for (const place of at(path)) {
        const list = place.read()
        if (Array.isArray(list)) place.write(sortedBy(list, (item) => this.#normaliser.sortKey(item)))
      }
    }
    return whole['']
  }
}

function sortedBy(list: readonly Exact[], keyOf: (item: Exact) => string): Exact[] {
  const keyed = list.map((item) => ({ item, key: keyOf(item) }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ item }) => item)
}

function decoded(headers: Observed['headers'], body: Uint8Array): Exact | undefined {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  const text = Buffer.from(body).toString('utf8')
  if (!type.includes('json') && !/^[[{]/.test(text)) return undefined
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

function saved(where: string, result: Result): Exact | undefined {
  if (where === 'data') {
    return result.answer.kind === 'answer' ? Buffer.from(result.answer.body).toString('latin1') : undefined
  }
  if (where.startsWith('header.')) {
    const value = headerNamed(where.slice('header.'.length), result)
    return value !== undefined && /^\d+$/.test(value) ? parseExact(value) : value
  }
  return lookup(result.json, where === 'body' ? '' : where.replace(/^body\./, ''))
}

function written(value: Exact): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? Number(member) : member))
}
