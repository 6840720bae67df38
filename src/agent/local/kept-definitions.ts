import { compareText, concatBytes, textOf, utf8 } from '../../base/bytes.ts'
import { done, type Result } from '../../base/result.ts'
import { equalPlain } from '../../base/shape.ts'
import type { Deferred } from '../../env/async.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { nextTurn } from '../../features/contract/turns.ts'
import type { CheckDefinition, OfferedService } from '../../model/catalog.ts'
import { itemKey } from './entries.ts'
import { Journal, type Whole } from './journal.ts'
import type { FramesRead } from './journal-frames.ts'
import { parsedJson } from './kept-files.ts'
import { type KeptChange, keptChange, keptChanges, keptVersion } from './kept-schema.ts'

type Written = Promise<Result<undefined, DiskFailure>>

/** Maximum size of one frame, except for its last change. A larger one would hold up the event loop of a busy agent. */
const frameLengthMax = 256 << 10

interface Item<Definition> {
  readonly definition: Definition
  /** Size of its text in the journal. */
  readonly bytes: number
}

/** Changes that are stored together, as they will stand in the journal. */
interface Waiting {
  readonly changes: readonly KeptChange[]
  readonly texts: readonly Uint8Array[]
  readonly written: Deferred<Result<undefined, DiskFailure>>
}

/**
 * Services and checks that came over the API, in one journal: changes that wait during a write are written and synced
 * together by the next one. After a power cut the changes of one call are present all or none.
 */
export class KeptDefinitions {
  readonly #env: Env
  readonly #journal: Journal
  /** Both by `itemKey`: what the journal holds, without writes under way. */
  readonly #services = new Map<string, Item<OfferedService>>()
  readonly #checks = new Map<string, Item<CheckDefinition>>()
  #bytes = 0
  /** Bounded by the number of concurrent changes of local services and checks. */
  #waiting: Waiting[] = []
  #isWriting = false

  constructor(env: Env, directory: string) {
    this.#env = env
    this.#journal = new Journal(env.disk, directory, 'registrations')
  }

  services(): readonly OfferedService[] {
    return definitionsIn(this.#services)
  }

  checks(): readonly CheckDefinition[] {
    return definitionsIn(this.#checks)
  }

  /** A malformed part is left out and reported; a definition whose registration was never acknowledged is left out. */
  async load(): Promise<Result<undefined, DiskFailure>> {
    const read = await this.#journal.read()
    if (!read.ok) return read
    if (!this.#takeUp(read.value)) await this.#keepAside()
    return done
  }

  /** Stores what an older release kept in another form and the journal lacks; durable when it completes. */
  async adopt(services: readonly OfferedService[], checks: readonly CheckDefinition[]): Written {
    const changes: KeptChange[] = []
    for (const check of checks) if (!this.#checks.has(itemKey(check.checkId))) changes.push({ check })
    for (const service of services) if (!this.#services.has(itemKey(service.id))) changes.push({ service })
    return this.change(changes)
  }

  /**
   * Durable when it completes; changes that say nothing new are not written. Only one change of the same ID may be
   * under way at a time.
   */
  change(changes: readonly KeptChange[]): Written {
    const news = changes.filter((change) => this.#isNews(change))
    if (news.length === 0) return Promise.resolve(done)
    const written = this.#env.deferred<Result<undefined, DiskFailure>>()
    this.#waiting.push({ changes: news, texts: news.map(textOfChange), written })
    if (!this.#isWriting) this.#env.detach(this.#writeAll())
    return written.promise
  }

  /** Settles when no write is under way. */
  close(): Promise<void> {
    return this.#journal.close()
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      await nextTurn(this.#env)
      const together = this.#nextTogether()
      const text = frameText(together.flatMap(({ texts }) => texts))
      const written = await this.#journal.add(text, this.#whole())
      for (const { changes, texts, written: told } of together) {
        if (written.ok) for (const [at, change] of changes.entries()) this.#apply(change, texts[at]?.length ?? 0)
        told.resolve(written)
      }
    }
    this.#isWriting = false
  }

  #nextTogether(): readonly Waiting[] {
    let [count, length] = [0, 0]
    while (count < this.#waiting.length && length < frameLengthMax) {
      for (const text of this.#waiting[count]?.texts ?? []) length += text.length
      count++
    }
    return this.#waiting.splice(0, count)
  }

  #whole(): Whole {
    return { bytes: this.#bytes, texts: this.#frameTexts() }
  }

  /** No change may be applied while the generator is being consumed. */
  *#frameTexts(): Generator<Uint8Array> {
    let texts: Uint8Array[] = []
    let length = 0
    const all = [
      ...[...this.#checks.values()].map(({ definition }) => ({ check: definition })),
      ...[...this.#services.values()].map(({ definition }) => ({ service: definition })),
    ]
    for (const change of all) {
      const text = textOfChange(change)
      texts.push(text)
      length += text.length
      if (length < frameLengthMax) continue
      yield frameText(texts)
      texts = []
      length = 0
    }
    if (texts.length > 0) yield frameText(texts)
  }

  /** Returns false if not all of it could be read. */
  #takeUp({ frames, damage, endsAt, endIsDoubtful }: FramesRead): boolean {
    let isAll = damage.length === 0 && !endIsDoubtful
    const leaveOut = (at: number, reason: string): void => {
      this.#tellDamage(at, reason)
      isAll = false
    }
    for (const { from, to } of damage) leaveOut(from, `${to - from} bytes that are no record`)
    if (endIsDoubtful) leaveOut(endsAt, 'the last record is not whole: its write was cut off, or it is damaged')
    for (const { text, endsAt } of frames) {
      const parsed = keptChanges.safeParse(parsedJson(textOf(text)))
      if (!parsed.success) {
        leaveOut(endsAt, 'its content does not have the form that this version writes')
        continue
      }
      for (const each of parsed.data.changes) {
        const change = keptChange.safeParse(each)
        if (change.success) this.#apply(change.data, utf8(JSON.stringify(each)).length)
        else leaveOut(endsAt, 'its content does not have the form that this version writes')
      }
    }
    return isAll
  }

  async #keepAside(): Promise<void> {
    const copied = await this.#journal.keepAside()
    const { log } = this.#env
    if (copied.ok)
      log.write('warn', 'agent', 'a damaged file was copied before it is written again', { to: copied.value })
    else log.write('error', 'agent', 'a damaged file could not be copied', { reason: copied.error.message })
  }

  #isNews(change: KeptChange): boolean {
    if ('service' in change)
      return !equalPlain(this.#services.get(itemKey(change.service.id))?.definition, change.service)
    if ('check' in change) return !equalPlain(this.#checks.get(itemKey(change.check.checkId))?.definition, change.check)
    if ('withoutService' in change) return this.#services.has(itemKey(change.withoutService))
    return this.#checks.has(itemKey(change.withoutCheck))
  }

  /** `bytes` is the size of the change in the journal. */
  #apply(change: KeptChange, bytes: number): void {
    if ('service' in change) this.#set(this.#services, change.service.id, { definition: change.service, bytes })
    else if ('check' in change) this.#set(this.#checks, change.check.checkId, { definition: change.check, bytes })
    else if ('withoutService' in change) this.#set(this.#services, change.withoutService, undefined)
    else this.#set(this.#checks, change.withoutCheck, undefined)
  }

  #set<Definition>(items: Map<string, Item<Definition>>, id: string, item: Item<Definition> | undefined): void {
    const key = itemKey(id)
    this.#bytes += (item?.bytes ?? 0) - (items.get(key)?.bytes ?? 0)
    if (item === undefined) items.delete(key)
    else items.set(key, item)
  }

  #tellDamage(at: number, reason: string): void {
    const fields = { file: this.#journal.path, at, reason }
    this.#env.log.write('error', 'agent', 'a part of a file of the data directory is damaged and was left out', fields)
  }
}

/** In order of ID. */
function definitionsIn<Definition>(items: ReadonlyMap<string, Item<Definition>>): readonly Definition[] {
  return [...items].sort(([a], [b]) => compareText(a, b)).map(([, { definition }]) => definition)
}

function textOfChange(change: KeptChange): Uint8Array {
  return utf8(JSON.stringify(change))
}

const frameStart = utf8(`{"version":${keptVersion},"changes":[`)
const comma = utf8(',')
const frameEnd = utf8(']}')

function frameText(texts: readonly Uint8Array[]): Uint8Array {
  const changes = texts.flatMap((text, at) => (at === 0 ? [text] : [comma, text]))
  return concatBytes([frameStart, ...changes, frameEnd])
}
