import { streamBytesMax, userBytesMax } from './bounds.ts'
import { readStateHead } from './full-state.ts'
import { lowerType } from './message-types.ts'
import { ValueReader, ValueScanner } from './value-reader.ts'

export type ScanStep = 'more' | 'complete' | 'bad'

/** Finds where a stream's frame ends while its bytes still arrive. */
export class FrameScan {
  readonly #type: number
  readonly #head = new ValueScanner(1, 1)
  /** The nodes of a state exchange, once its head has been read. */
  #nodes: ValueScanner | undefined
  /** Number of bytes after the last value: the upper layer's part, or its message. */
  #trailing = 0

  constructor(type: number) {
    this.#type = type
  }

  scan(bytes: Uint8Array, length: number): ScanStep {
    if (!streamTypes.includes(this.#type)) return 'bad'
    const head = this.#head.scan(bytes, length)
    if (head !== 'complete') return this.#bounded(head, this.#head)
    if (this.#type === lowerType.pushPull) return this.#scanState(bytes, length)
    if (this.#type === lowerType.user && this.#trailing === 0) {
      const announced = readUserLength(new ValueReader(bytes, 1))
      if (announced === undefined) return 'bad'
      this.#trailing = announced
    }
    return this.#head.at + this.#trailing <= length ? 'complete' : 'more'
  }

  #scanState(bytes: Uint8Array, length: number): ScanStep {
    if (this.#nodes === undefined) {
      const head = readStateHead(new ValueReader(bytes, 1))
      if (head === undefined) return 'bad'
      this.#nodes = new ValueScanner(this.#head.at, head.nodes)
      this.#trailing = head.upperBytes
    }
    const nodes = this.#nodes.scan(bytes, length)
    if (nodes !== 'complete') return this.#bounded(nodes, this.#nodes)
    return this.#bounded(this.#nodes.at + this.#trailing <= length ? 'complete' : 'more', this.#nodes)
  }

  /** Refuses a frame that announces more than is allowed, before it arrives. */
  #bounded(step: ScanStep, scanner: ValueScanner): ScanStep {
    return scanner.at + this.#trailing > streamBytesMax ? 'bad' : step
  }
}

/** Bytes of a message of the upper layer that comes over a stream; undefined if malformed or too many. */
export function readUserLength(from: ValueReader): number | undefined {
  let length = 0
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    if (from.key() === 'UserMsgLen') length = from.uint(userBytesMax)
    else from.skip()
  }
  return from.failed ? undefined : length
}

const streamTypes: readonly number[] = [
  lowerType.ping,
  lowerType.ack,
  lowerType.pushPull,
  lowerType.user,
  lowerType.compress,
  lowerType.error,
]
