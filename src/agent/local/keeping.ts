import type { z } from 'zod'
import { hex, textOf, utf8 } from '../../base/bytes.ts'
import { type Json, writeJson } from '../../base/json.ts'
import { done, err, ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { CheckDefinition, ServiceFacts } from '../../model/catalog.ts'
import { readWholeFile, removeFile, writeWholeFile } from '../whole-file.ts'
import { DirectorySyncs } from './directory-syncs.ts'
import { itemKey } from './item-key.ts'
import { type KeptState, keptCheck, keptService, keptState, keptVersion } from './kept-schema.ts'

export interface Kept {
  readonly services: readonly ServiceFacts[]
  readonly checks: readonly CheckDefinition[]
  /** By `itemKey`. */
  readonly states: ReadonlyMap<string, KeptState>
}

type Kind = 'services' | 'checks' | 'checks/state'
type Written = Promise<Result<undefined, DiskFailure>>

/**
 * What came over the API, in the data directory: one JSON file for each service and check, named by the SHA-256 of its ID
 * in small letters,
 * and one for the last word about each TTL check. Without a data directory nothing is kept. Reference: configuration 13.
 */
export class Keeping {
  readonly #env: Env
  readonly #dataDir: string | undefined
  readonly #files: Pick<Disk, 'open' | 'rename' | 'remove' | 'syncDirectory'>

  constructor(env: Env, dataDir: string | undefined) {
    this.#env = env
    this.#dataDir = dataDir
    const { disk } = env
    const syncs = new DirectorySyncs(disk)
    this.#files = {
      open: (path, mode) => disk.open(path, mode),
      rename: (from, to) => disk.rename(from, to),
      remove: (path) => disk.remove(path),
      syncDirectory: (path) => syncs.sync(path),
    }
  }

  /** A file that does not hold what it should is left out, and told of. */
  async load(): Promise<Result<Kept, DiskFailure>> {
    const made = await this.#makeDirectories()
    if (!made.ok) return made
    const services = await this.#loadAll('services', keptService, ({ service }) => [service.id, service])
    if (!services.ok) return services
    const checks = await this.#loadAll('checks', keptCheck, ({ check }) => [check.checkId, check])
    if (!checks.ok) return checks
    const states = await this.#loadAll('checks/state', keptState, ({ state }) => [state.checkId, state])
    if (!states.ok) return states
    return ok({ services: [...services.value.values()], checks: [...checks.value.values()], states: states.value })
  }

  keepService(service: ServiceFacts): Written {
    return this.#write('services', service.id, { service: service as unknown as Json })
  }

  keepCheck(check: CheckDefinition): Written {
    return this.#write('checks', check.checkId, { check: check as unknown as Json })
  }

  keepState(state: KeptState): Written {
    return this.#write('checks/state', state.checkId, { state: state as unknown as Json })
  }

  dropService(id: string): Written {
    return this.#remove('services', id)
  }

  async dropCheck(id: string): Written {
    const dropped = await this.#remove('checks', id)
    return dropped.ok ? this.#remove('checks/state', id) : dropped
  }

  /** Forgets what was said of checks that are no more. What cannot be removed is looked at again at the next start. */
  async dropStates({ states }: Kept, isThere: (checkId: string) => boolean): Promise<void> {
    for (const { checkId } of states.values()) if (!isThere(checkId)) await this.#remove('checks/state', checkId)
  }

  async #makeDirectories(): Promise<Result<undefined, DiskFailure>> {
    const { disk } = this.#env
    if (this.#dataDir === undefined) return done
    for (const directory of [this.#path('services'), this.#path('checks/state')]) {
      const made = await disk.makeDirectory(directory)
      if (!made.ok) return made
    }
    const named = await disk.syncDirectory(this.#dataDir)
    return named.ok ? disk.syncDirectory(this.#path('checks')) : named
  }

  async #loadAll<File, Item>(
    kind: Kind,
    schema: z.ZodType<File>,
    itemOf: (file: File) => readonly [id: string, item: Item],
  ): Promise<Result<Map<string, Item>, DiskFailure>> {
    const items = new Map<string, Item>()
    if (this.#dataDir === undefined) return ok(items)
    const names = await this.#env.disk.list(this.#path(kind))
    if (!names.ok) return names
    for (const name of names.value) {
      // What a crash left half written. If it stays, it is looked at again at the next start.
      if (name.endsWith('.tmp')) await this.#env.disk.remove(`${this.#path(kind)}/${name}`)
      if (!/^[0-9a-f]{64}$/.test(name)) continue
      const read = await this.#readFile(kind, name, schema)
      const entry = read.ok ? itemOf(read.value) : undefined
      if (entry !== undefined && this.#fileName(entry[0]) === name) items.set(itemKey(entry[0]), entry[1])
      else this.#tellDamage(kind, name, read.ok ? 'its name belongs to another ID' : read.error)
    }
    return ok(items)
  }

  async #readFile<File>(kind: Kind, name: string, schema: z.ZodType<File>): Promise<Result<File, string>> {
    const bytes = await readWholeFile(this.#env.disk, `${this.#path(kind)}/${name}`)
    if (!bytes.ok) return err('it cannot be read')
    const value = parsedJson(textOf(bytes.value))
    const parsed = schema.safeParse(value)
    return parsed.success ? ok(parsed.data) : err(value === undefined ? 'not JSON' : 'not of the shape of this version')
  }

  #tellDamage(kind: Kind, name: string, reason: string): void {
    const file = `${this.#path(kind)}/${name}`
    this.#env.log.write('error', 'agent', 'a file of the data directory is damaged and was left out', { file, reason })
  }

  async #write(kind: Kind, id: string, content: { readonly [key: string]: Json }): Written {
    if (this.#dataDir === undefined) return done
    const bytes = utf8(writeJson({ version: keptVersion, ...content }))
    // The state of a check is soon out of date and not worth a sync of the disk at each word about it.
    return writeWholeFile(this.#files, this.#path(kind), this.#fileName(id), bytes, kind !== 'checks/state')
  }

  async #remove(kind: Kind, id: string): Written {
    if (this.#dataDir === undefined) return done
    return removeFile(this.#files, this.#path(kind), this.#fileName(id), kind !== 'checks/state')
  }

  #path(kind: Kind): string {
    return `${this.#dataDir}/${kind}`
  }

  #fileName(id: string): string {
    return hex(this.#env.crypto.sha256(utf8(itemKey(id))))
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
