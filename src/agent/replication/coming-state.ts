import { emptyBytes } from '../../base/bytes.ts'
import { done, err, ok, type Result } from '../../base/result.ts'
import type { WholeState } from '../../features/contract/whole-state.ts'
import { clusterNames } from '../../features/operator/views.ts'
import type { NamingName } from '../../model/naming/naming.ts'
import type { SnapshotReader } from '../../store/restore.ts'
import type { Store } from '../../store/store.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { type Version, VersionReader } from '../../store/version.ts'

/**
 * Half of the range in which integers are exact: indexes continue from that of a state, and no log ever gets near it.
 */
const indexMax = 0x10_0000_0000_0000

/**
 * Reads a new state while its pieces arrive, so that the command which replaces the store's state has little left to
 * do. The pieces are rows, and everything here derives from them: after a restart they are read again when needed.
 */
export class ComingState implements WholeState {
  readonly #store: Store
  #reader: SnapshotReader | undefined
  #readBytes = 0
  #ready: Version | undefined
  /** How many restores have started or ended. */
  #restores = 0

  constructor(store: Store) {
    this.#store = store
  }

  prepare(offset: number, bytes: Uint8Array): void {
    if (offset === 0) this.forget()
    if (offset === 0 && bytes.length > 0) this.#reader = this.#store.reader()
    if (offset !== this.#readBytes) this.#reader = undefined
    if (this.#reader === undefined) return
    // Once it has refused a piece, it refuses all further ones.
    this.#reader.write(bytes)
    this.#readBytes += bytes.length
  }

  fault(): string | undefined {
    const soFar = this.#reader?.write(emptyBytes)
    return soFar?.ok === false ? soFar.error : undefined
  }

  /** Whether these pieces form a valid state. If they must be read again, `turn` yields to other work in between. */
  async check(
    sizeBytes: number,
    pieces: Iterable<Uint8Array>,
    turn: () => Promise<void>,
  ): Promise<Result<undefined, string>> {
    const reader = this.#prepared(sizeBytes) ?? (await this.#readAnew(pieces, turn))
    const version = versionOf(reader)
    if (!version.ok) return version
    const problem = namesProblem(clusterNames(new VersionReader(version.value)), clusterNames(this.#store.read()))
    return problem === undefined ? done : err(problem)
  }

  replace(sizeBytes: number, pieces: () => Iterable<Uint8Array>): Result<ReadTransaction, string> {
    const prepared = this.#prepared(sizeBytes)
    const reader = prepared ?? this.#store.reader()
    if (prepared === undefined) for (const piece of pieces()) reader.write(piece)
    this.forget()
    const version = versionOf(reader)
    if (!version.ok) return version
    this.#ready = version.value
    return ok(new VersionReader(version.value))
  }

  /** The state that the last command wants to put in place. */
  take(): Version | undefined {
    const ready = this.#ready
    this.#ready = undefined
    return ready
  }

  forget(): void {
    this.#reader = undefined
    this.#readBytes = 0
    this.#restores++
  }

  #prepared(sizeBytes: number): SnapshotReader | undefined {
    return this.#readBytes === sizeBytes ? this.#reader : undefined
  }

  async #readAnew(pieces: Iterable<Uint8Array>, turn: () => Promise<void>): Promise<SnapshotReader> {
    const reader = this.#store.reader()
    const restores = this.#restores
    let readBytes = 0
    for (const piece of pieces) {
      reader.write(piece)
      readBytes += piece.length
      await turn()
    }
    // The replacing command need not read the pieces again, unless they were discarded meanwhile.
    if (this.#restores === restores) [this.#reader, this.#readBytes] = [reader, readBytes]
    return reader
  }
}

/**
 * Restoring a state of another naming would mix the names of two clusters: the servers' service, the provider and the
 * trust domain.
 */
function namesProblem(coming: NamingName, own: NamingName): string | undefined {
  if (coming === own) return undefined
  return `snapshot: it is of a cluster with names = "${coming}", and this one has names = "${own}"`
}

function versionOf(reader: SnapshotReader): Result<Version, string> {
  const version = reader.finish()
  return version.ok && version.value.index > indexMax
    ? err('snapshot: its index is outside the range of a log')
    : version
}
