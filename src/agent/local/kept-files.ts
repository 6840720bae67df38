import type { z } from 'zod'
import { hex, textOf, utf8 } from '../../base/bytes.ts'
import { type Json, writeJson } from '../../base/json.ts'
import { done, err, ok, type Result } from '../../base/result.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { readWholeFile, removeFile, writeWholeFile } from '../boot/whole-file.ts'
import { itemKey } from './entries.ts'
import { keptVersion } from './kept-schema.ts'

type Written = Promise<Result<undefined, DiskFailure>>

/** The content of a file, and the ID of its item. */
export interface KeptForm<File, Item> {
  readonly schema: z.ZodType<File>
  readonly itemOf: (file: File) => readonly [id: string, item: Item]
}

/**
 * One JSON file for each item, in a directory; the name is the SHA-256 of the lowercase ID, because an ID may contain
 * any character.
 */
export class KeptFiles<File, Item> {
  readonly #env: Env
  readonly #directory: string
  readonly #form: KeptForm<File, Item>

  constructor(env: Env, directory: string, form: KeptForm<File, Item>) {
    this.#env = env
    this.#directory = directory
    this.#form = form
  }

  /** By `itemKey`. A malformed file is skipped and reported. A missing directory counts as empty. */
  async load(): Promise<Result<Map<string, Item>, DiskFailure>> {
    const items = new Map<string, Item>()
    const names = await this.#env.disk.list(this.#directory)
    if (!names.ok) return names.error.kind === 'not-found' ? ok(items) : names
    for (const name of names.value) {
      // A crash left this file half written. If it cannot be removed, the next start tries again.
      if (name.endsWith('.tmp')) await this.#env.disk.remove(`${this.#directory}/${name}`)
      if (!/^[0-9a-f]{64}$/.test(name)) continue
      const read = await this.#readFile(name)
      const entry = read.ok ? this.#form.itemOf(read.value) : undefined
      if (entry !== undefined && this.#nameOf(entry[0]) === name) items.set(itemKey(entry[0]), entry[1])
      else this.#tellDamage(name, read.ok ? 'its file name is that of another ID' : read.error)
    }
    return ok(items)
  }

  /** Not synced: a power cut may lose or damage it. */
  async put(id: string, content: { readonly [key: string]: Json }): Written {
    const bytes = utf8(writeJson({ version: keptVersion, ...content }))
    return writeWholeFile(this.#env.disk, this.#directory, this.#nameOf(id), bytes, 'anything')
  }

  async remove(id: string): Written {
    return removeFile(this.#env.disk, this.#directory, this.#nameOf(id), false)
  }

  /** Removes the files durably. */
  async removeAll(ids: Iterable<string>): Written {
    let some = false
    for (const id of ids) {
      const removed = await this.remove(id)
      if (!removed.ok) return removed
      some = true
    }
    return some ? this.#env.disk.syncDirectory(this.#directory) : done
  }

  async #readFile(name: string): Promise<Result<File, string>> {
    const bytes = await readWholeFile(this.#env.disk, `${this.#directory}/${name}`)
    if (!bytes.ok) return err('it cannot be read')
    const value = parsedJson(textOf(bytes.value))
    const parsed = this.#form.schema.safeParse(value)
    return parsed.success
      ? ok(parsed.data)
      : err(value === undefined ? 'not JSON' : 'its content does not have the form that this version writes')
  }

  #tellDamage(name: string, reason: string): void {
    const file = `${this.#directory}/${name}`
    this.#env.log.write('error', 'agent', 'a file of the data directory is damaged and was left out', { file, reason })
  }

  #nameOf(id: string): string {
    return hex(this.#env.crypto.sha256(utf8(itemKey(id))))
  }
}

/** Undefined if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
