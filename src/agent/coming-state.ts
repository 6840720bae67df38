import { err, ok, type Result } from '../base/result.ts'
import type { WholeState } from '../features/manifest.ts'
import type { SnapshotReader } from '../store/restore.ts'
import type { Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'

/** Half of what whole numbers are exact to: indexes go on from that of a state, and no log ever comes near it. */
const indexMax = 0x10_0000_0000_0000

/**
 * Reads a state that is to take the place of the store's while its pieces come, so that the command which replaces has
 * little left to do. All of it follows from the pieces, which are rows: after a start they are read again when they are needed.
 */
export class ComingState implements WholeState {
  readonly #store: Store
  #reader: SnapshotReader | undefined
  #readBytes = 0
  #ready: Version | undefined

  constructor(store: Store) {
    this.#store = store
  }

  prepare(offset: number, bytes: Uint8Array): void {
    if (offset === 0) this.forget()
    if (offset === 0 && bytes.length > 0) this.#reader = this.#store.reader()
    if (offset !== this.#readBytes) this.#reader = undefined
    if (this.#reader === undefined) return
    // What it refuses it goes on refusing, to the end.
    this.#reader.write(bytes)
    this.#readBytes += bytes.length
  }

  replace(sizeBytes: number, pieces: () => Iterable<Uint8Array>): Result<{ readonly index: number }, string> {
    const prepared = this.#readBytes === sizeBytes ? this.#reader : undefined
    const reader = prepared ?? this.#store.reader()
    if (prepared === undefined) for (const piece of pieces()) reader.write(piece)
    this.forget()
    const version = reader.finish()
    if (!version.ok) return version
    if (version.value.index > indexMax) return err('snapshot: an index that no log has')
    this.#ready = version.value
    return ok({ index: version.value.index })
  }

  /** The state that the last command wants to be in use. */
  take(): Version | undefined {
    const ready = this.#ready
    this.#ready = undefined
    return ready
  }

  forget(): void {
    this.#reader = undefined
    this.#readBytes = 0
  }
}
