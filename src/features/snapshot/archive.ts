import { InflateFault } from '../../base/bit-reader.ts'
import { concatBytes, hex, textOf, utf8 } from '../../base/bytes.ts'
import { GzipWriter, gunzipped } from '../../base/gzip.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { TarFault, type TarPart, tarEnd, tarHeader, tarPadding, tarParts } from '../../base/tar.ts'
import type { Crypto, RunningHash } from '../../env/crypto.ts'
import { type ArchiveMeta, archiveFiles, metaBytes, metaFrom, stateBytesMax } from './model.ts'

/**
 * Archives of the state in the field's format: a gzipped tar of `meta.json`, `state.bin` and `SHA256SUMS`. It is
 * written as three gzip members in a row, which every reader treats as one file: the state is compressed as it arrives,
 * and the tar header before it, which contains its size, is made at the end.
 */
export class ArchiveWriter {
  readonly #crypto: Crypto
  readonly #hash: RunningHash
  readonly #gzip = new GzipWriter()
  readonly #parts: Uint8Array[] = []
  #sizeBytes = 0
  #writtenBytes = 0

  constructor(crypto: Crypto) {
    this.#crypto = crypto
    this.#hash = crypto.runningSha256()
  }

  /** Number of compressed bytes so far. */
  get writtenBytes(): number {
    return this.#writtenBytes
  }

  state(bytes: Uint8Array): void {
    this.#hash.update(bytes)
    this.#sizeBytes += bytes.length
    this.#keep(this.#gzip.push(bytes))
  }

  /** The whole archive, in parts. `seconds` since 1970. */
  finish(told: Omit<ArchiveMeta, 'sizeBytes'>, seconds: number): readonly Uint8Array[] {
    this.#keep(this.#gzip.end())
    const meta = metaBytes({ ...told, sizeBytes: this.#sizeBytes })
    const sums = utf8(
      `${hex(this.#hash.digest())}  ${archiveFiles.state}\n${hex(this.#crypto.sha256(meta))}  ${archiveFiles.meta}\n`,
    )
    const before = [...file(archiveFiles.meta, meta, seconds), tarHeader(archiveFiles.state, this.#sizeBytes, seconds)]
    const behind = [tarPadding(this.#sizeBytes), ...file(archiveFiles.sums, sums, seconds), tarEnd]
    return [member(before), ...this.#parts, member(behind)]
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#parts.push(bytes)
    this.#writtenBytes += bytes.length
  }
}

function file(name: string, bytes: Uint8Array, seconds: number): readonly Uint8Array[] {
  return [tarHeader(name, bytes.length, seconds), bytes, tarPadding(bytes.length)]
}

function member(parts: readonly Uint8Array[]): Uint8Array {
  const gzip = new GzipWriter()
  const written = parts.map((part) => gzip.push(part))
  return concatBytes([...written, gzip.end()])
}

/** Maximum size of `meta.json` and `SHA256SUMS`. */
const smallFileBytesMax = 64 << 10

/**
 * Reads an archive step by step: the caller calls `step` until it returns a result, and may yield to other work between
 * two calls. `state` receives the bytes of `state.bin` as they come, before the archive is known to be valid. Names,
 * order and checksums are verified; memory is limited by the size of the file.
 */
export class ArchiveReader {
  readonly #parts: Iterator<TarPart | undefined>
  readonly #crypto: Crypto
  readonly #state: (bytes: Uint8Array) => void
  readonly #hash: RunningHash
  readonly #small = new Map<string, Uint8Array>()
  readonly #seen: string[] = []
  #stateBytes = 0

  constructor(crypto: Crypto, archive: Uint8Array, state: (bytes: Uint8Array) => void = () => {}) {
    this.#parts = tarParts(gunzipped(archive))
    this.#crypto = crypto
    this.#state = state
    this.#hash = crypto.runningSha256()
  }

  /** Undefined: there is more to read. The error is one line. */
  step(): Result<ArchiveMeta, string> | undefined {
    try {
      const next = this.#parts.next()
      if (next.done === true) return this.#finish()
      if (next.value === undefined) return undefined
      const fault = this.#take(next.value)
      return fault === undefined ? undefined : err(fault)
    } catch (cause) {
      if (cause instanceof InflateFault) return err(`failed to decompress snapshot: ${cause.message}`)
      if (cause instanceof TarFault)
        return err(`failed to read snapshot file: failed reading snapshot: ${cause.message}`)
      throw cause
    }
  }

  #take({ name, bytes, isLast, sizeBytes }: TarPart): string | undefined {
    if (this.#seen.includes(name)) return `failed to read snapshot file: ${name} occurs twice`
    if (name === archiveFiles.state) {
      if (sizeBytes > stateBytesMax) return `failed to read snapshot file: ${name} exceeds ${stateBytesMax} bytes`
      this.#hash.update(bytes)
      this.#stateBytes += bytes.length
      this.#state(bytes)
    } else if (name === archiveFiles.meta || name === archiveFiles.sums) {
      if (sizeBytes > smallFileBytesMax) return `failed to read snapshot file: ${name} is too large`
      this.#small.set(name, concatBytes([this.#small.get(name) ?? new Uint8Array(0), bytes]))
    } else return `failed to read snapshot file: unexpected file ${JSON.stringify(name)} in snapshot`
    if (isLast) this.#seen.push(name)
    return undefined
  }

  #finish(): Result<ArchiveMeta, string> {
    for (const name of Object.values(archiveFiles)) {
      if (!this.#seen.includes(name)) return err(`failed to read snapshot file: missing file ${JSON.stringify(name)}`)
    }
    const meta = this.#small.get(archiveFiles.meta) as Uint8Array
    const sums = new Map([
      [archiveFiles.state as string, hex(this.#hash.digest())],
      [archiveFiles.meta as string, hex(this.#crypto.sha256(meta))],
    ])
    const wrong = wrongSum(textOf(this.#small.get(archiveFiles.sums) as Uint8Array), sums)
    if (wrong !== undefined) return err(`failed checking integrity of snapshot: ${wrong}`)
    const read = metaFrom(meta)
    if (read === undefined) return err(`failed to read snapshot file: ${archiveFiles.meta} is of another format`)
    if (read.sizeBytes === this.#stateBytes) return ok(read)
    return err(`failed to read snapshot file: ${archiveFiles.state} does not have the size that the metadata say`)
  }
}

/** Lines `HEX  NAME`, one for each file. */
function wrongSum(text: string, sums: ReadonlyMap<string, string>): string | undefined {
  const told = new Map<string, string>()
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const match = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line)
    if (match === null) return 'a line of SHA256SUMS cannot be read'
    told.set(match[2] as string, match[1] as string)
  }
  for (const [name, sum] of sums) if (told.get(name) !== sum) return `hash check failed for ${JSON.stringify(name)}`
  return told.size === sums.size ? undefined : 'SHA256SUMS names other files'
}
