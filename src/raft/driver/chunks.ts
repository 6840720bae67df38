import type { Env } from '../../env/env.ts'
import type { RaftEffect } from '../core/types.ts'
import { diskFailureText } from '../log/open-failure.ts'
import type { SnapshotStore } from '../log/snapshot-store.ts'
import type { Turns } from './turns.ts'

type StoreChunk = Extract<RaftEffect, { kind: 'store-chunk' }>
type ReadChunk = Extract<RaftEffect, { kind: 'read-chunk' }>

/** Chunks that wait to be written. The sender awaits each answer, so more come only from several leaders, or repeated. */
const waitingMax = 8

export interface ChunksParts {
  readonly snapshots: SnapshotStore
  readonly turns: Turns
  readonly env: Pick<Env, 'log'>
}

/** Moves snapshots between the disk and the core, a chunk at a time. */
export class Chunks {
  readonly #snapshots: SnapshotStore
  readonly #turns: Turns
  readonly #log: Env['log']
  #waiting: StoreChunk[] = []
  #isStoring = false
  #stopped = false

  constructor({ snapshots, turns, env }: ChunksParts) {
    this.#snapshots = snapshots
    this.#turns = turns
    this.#log = env.log
  }

  store(effect: StoreChunk): void {
    if (this.#waiting.length >= waitingMax) return
    this.#waiting.push(effect)
    if (!this.#isStoring) this.#turns.inBackground(this.#storeAll())
  }

  read(effect: ReadChunk): void {
    this.#turns.inBackground(this.#read(effect))
  }

  stop(): void {
    this.#stopped = true
    this.#waiting = []
  }

  async #read({ to, meta, offset, length }: ReadChunk): Promise<void> {
    const { bytes, sizeBytes } = await this.#snapshots.read(meta, offset, length)
    if (!this.#stopped) this.#turns.post({ kind: 'chunk-read', to, meta, offset, bytes, sizeBytes })
  }

  async #storeAll(): Promise<void> {
    this.#isStoring = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { from, chunk } = next
      const { meta, round } = chunk
      const stored = await this.#snapshots.receive(chunk)
      if (this.#stopped) return
      this.#turns.run(() => {
        if (!stored.ok && stored.error.kind === 'full') {
          // Without an answer the leader sends the chunk again, now and then.
          this.#log.write('warn', 'raft', 'no space left on the disk for a received snapshot', { index: meta.index })
          return
        }
        if (!stored.ok) throw new Error(`a received snapshot could not be written: ${diskFailureText(stored.error)}`)
        this.#turns.post({ kind: 'chunk-stored', from, meta, round, ...stored.value })
      })
    }
    this.#isStoring = false
  }
}
