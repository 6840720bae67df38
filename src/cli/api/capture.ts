import { concatBytes, utf8 } from '../../base/bytes.ts'
import { GzipWriter } from '../../base/gzip.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { tarEnd, tarHeader, tarPadding } from '../../base/tar.ts'
import type { Disk } from '../../env/disk.ts'
import type { ApiClient, Query } from './client.ts'

/** The parts of an agent that can be captured for troubleshooting. */
export const captureTargets = ['agent', 'host', 'cluster', 'metrics', 'logs', 'pprof'] as const

export type CaptureTarget = (typeof captureTargets)[number]

/** Requested once, at the beginning. */
const once: readonly {
  readonly target: CaptureTarget
  readonly path: string
  readonly query?: Query
  readonly file: string
}[] = [
  { target: 'agent', path: '/v1/agent/self', file: 'agent.json' },
  { target: 'host', path: '/v1/agent/host', file: 'host.json' },
  { target: 'cluster', path: '/v1/agent/members', query: [['wan', '1']], file: 'cluster-wan.json' },
  { target: 'cluster', path: '/v1/agent/members', file: 'cluster.json' },
]

/** Requested in each interval, one after the other: an agent takes one profile at a time. */
const profiles: readonly { readonly path: string; readonly file: string }[] = [
  { path: '/debug/pprof/heap', file: 'heap.prof' },
  { path: '/debug/pprof/goroutine', file: 'goroutine.prof' },
  { path: '/debug/pprof/profile', file: 'profile.prof' },
  { path: '/debug/pprof/trace', file: 'trace.out' },
]

/** Bytes kept of the lines logged in one interval; the first ones count. */
const logBytesMax = 16 << 20
/** Maximum size of all captured log lines, because they are kept until the end. */
const allLogBytesMax = 256 << 20

export interface CapturedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Captures an agent's data, interval by interval. Refused requests are reported to `complain`, and left out. */
export class Capture {
  readonly files: CapturedFile[] = []
  readonly #client: ApiClient
  readonly #targets: ReadonlySet<CaptureTarget>
  readonly #complain: (line: string) => void
  #log: Uint8Array[] = []
  #profiling: Promise<void> = Promise.resolve()
  #profilesRefused = false
  #logBytes = 0
  #allLogBytes = 0

  constructor(client: ApiClient, targets: readonly CaptureTarget[], complain: (line: string) => void) {
    this.#client = client
    this.#targets = new Set(targets)
    this.#complain = complain
  }

  async begin(): Promise<void> {
    for (const { target, path, query, file } of once) {
      if (this.#targets.has(target)) await this.#ask(path, file, query)
    }
  }

  /** Reads the agent's log until the agent ends the stream. */
  async listen(): Promise<void> {
    if (!this.#targets.has('logs')) return
    const query = [['loglevel', 'debug']] as const
    const onBody = (piece: Uint8Array): void => this.#hear(piece)
    const answer = await this.#client.send('GET', '/v1/agent/monitor', query, undefined, { onBody })
    if (!answer.ok) this.#complain(`logs: ${answer.error}`)
    else if (answer.value.status !== 200) this.#complain(`logs: status ${answer.value.status}`)
  }

  /** Ends an interval that began at this time; profiles still under way are left out if it was interrupted. */
  async mark(unixSeconds: number, interrupted: Promise<unknown>): Promise<void> {
    if (this.#targets.has('metrics')) await this.#ask('/v1/agent/metrics', `${unixSeconds}/metrics.json`)
    await Promise.race([this.#profiling, interrupted])
    if (!this.#targets.has('logs')) return
    this.files.push({ name: `${unixSeconds}/agent.log`, bytes: concatBytes(this.#log) })
    this.#log = []
    this.#logBytes = 0
  }

  /** Begins to take the profiles of an interval, which watch the agent for so many seconds. */
  profile(unixSeconds: number, seconds: number): void {
    if (this.#targets.has('pprof') && !this.#profilesRefused) this.#profiling = this.#profiles(unixSeconds, seconds)
  }

  async #profiles(unixSeconds: number, seconds: number): Promise<void> {
    for (const { path, file } of profiles) {
      const query = file === 'profile.prof' ? [['seconds', String(seconds)] as const] : []
      const isTaken = await this.#ask(path, `${unixSeconds}/${file}`, query)
      if (isTaken) continue
      // An agent that refuses one refuses all, each time.
      this.#profilesRefused = true
      return
    }
  }

  async #ask(path: string, file: string, query: Query = []): Promise<boolean> {
    const answer = await this.#client.expect('GET', path, query)
    if (answer.ok) this.files.push({ name: file, bytes: answer.value })
    else this.#complain(`${file}: ${answer.error}`)
    return answer.ok
  }

  #hear(piece: Uint8Array): void {
    if (this.#logBytes >= logBytesMax || this.#allLogBytes >= allLogBytesMax) return
    const kept = piece.slice(0, Math.min(logBytesMax - this.#logBytes, allLogBytesMax - this.#allLogBytes))
    this.#log.push(kept)
    this.#logBytes += kept.length
    this.#allLogBytes += kept.length
    if (this.#allLogBytes >= allLogBytesMax) this.#log.push(utf8('\n[the rest of all intervals is left out]\n'))
    else if (this.#logBytes >= logBytesMax) this.#log.push(utf8('\n[the rest of this interval is left out]\n'))
  }
}

/** A compressed tar of them, each under the folder of this name. */
export function archiveOf(folder: string, files: readonly CapturedFile[], unixSeconds: number): Uint8Array {
  const writer = new GzipWriter()
  const parts: Uint8Array[] = []
  for (const { name, bytes } of files) {
    parts.push(writer.push(tarHeader(`${folder}/${name}`, bytes.length, unixSeconds)))
    parts.push(writer.push(bytes), writer.push(tarPadding(bytes.length)))
  }
  parts.push(writer.push(tarEnd), writer.end())
  return concatBytes(parts)
}

/** The same as files in a directory. The error is one line. */
export async function writeFolder(
  disk: Disk,
  folder: string,
  files: readonly CapturedFile[],
): Promise<Result<undefined, string>> {
  for (const { name, bytes } of files) {
    const path = `${folder}/${name}`
    const made = await disk.makeDirectory(path.slice(0, path.lastIndexOf('/')))
    const file = made.ok ? await disk.open(path, 'create-new') : made
    if (!file.ok) return err(`write ${path}: ${file.error.message}`)
    const written = await file.value.write(0, bytes)
    await file.value.close()
    if (!written.ok) return err(`write ${path}: ${written.error.message}`)
  }
  return ok(undefined)
}
