import { textOf, utf8 } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText, type UdpSocket } from '../../env/net.ts'
import { placeOf } from '../../rpc/address.ts'
import type { SyslogSettings } from '../settings/log-settings.ts'
import { type SyslogLine, syslogPacket } from './syslog-line.ts'

/** Sends lines to a syslog daemon. */
export interface Carrier extends Closable {
  /** The destination, for people. */
  readonly to: string
  /** Time for which lines are gathered before they are sent. */
  readonly gatherMs: number
  /**
   * Settles once the lines were sent, or with the reason why not: then none of them, or only the first ones, arrived.
   */
  carry(lines: readonly SyslogLine[]): Promise<Result<void, string>>
}

export function openCarrier(env: Env, { to, tag }: Pick<SyslogSettings, 'to' | 'tag'>): Carrier {
  return to.kind === 'udp' ? new Datagrams(env, to.at, tag) : new LoggerRuns(env, to.path, tag)
}

/** A run of `logger` takes some milliseconds, unless the daemon does not read its socket. */
const runLimitMs = 5_000
const outputBytesMax = 4 << 10
const reasonLengthMax = 200

/**
 * Sends lines to a Unix socket of this machine, which takes datagrams that Node cannot send: by runs of `logger`, which
 * read lines on standard input. Source: logger(1) of util-linux; without `--socket-errors=on` it drops lines silently
 * if the socket is missing.
 */
class LoggerRuns implements Carrier {
  readonly to: string
  readonly gatherMs = 200
  readonly #env: Env
  readonly #argv: readonly [string, ...string[]]
  readonly #unwanted

  constructor(env: Env, path: string | undefined, tag: string) {
    this.#env = env
    this.to = path ?? 'local socket'
    const own = ['--prio-prefix', '--socket-errors=on', '-t', tag]
    this.#argv = ['logger', ...own, ...(path === undefined ? [] : ['-u', path])]
    this.#unwanted = env.deferred<void>()
  }

  async carry(lines: readonly SyslogLine[]): Promise<Result<void, string>> {
    const ran = await this.#env.processes.run(this.#argv, {
      timeoutMs: runLimitMs,
      outputBytesMax,
      input: utf8(lines.map(({ priority, message }) => `<${priority}>${message}\n`).join('')),
      until: this.#unwanted.promise,
    })
    if (!ran.ok) return err(`${ran.error.program}: ${ran.error.message}`)
    const { exit, output, timedOut } = ran.value
    if (timedOut) return err(`logger did not end within ${runLimitMs / 1000} s`)
    if (exit === 0) return ok(undefined)
    const said = textOf(output).trim().split('\n').at(-1) ?? ''
    return err(said === '' ? `logger: exit status ${exit}` : said.slice(0, reasonLengthMax))
  }

  close(): void {
    this.#unwanted.resolve()
  }
}

/** A name is resolved again after this time. */
const knownForMs = 300_000

/** Sends each line as a datagram, without knowing whether it arrives. Source: RFC 3164, section 2. */
class Datagrams implements Carrier {
  readonly to: string
  readonly gatherMs = 20
  readonly #env: Env
  readonly #named: Endpoint
  readonly #tag: string
  #at: Endpoint | undefined
  #askedMs = 0
  #socket: UdpSocket | undefined
  #closed = false

  constructor(env: Env, named: Endpoint, tag: string) {
    this.#env = env
    this.#tag = tag
    this.#named = named
    this.to = endpointText(named)
  }

  async carry(lines: readonly SyslogLine[]): Promise<Result<void, string>> {
    const at = await this.#place()
    if (at === undefined) return err('unknown name')
    const socket = await this.#bound(at)
    if (!socket.ok) return socket
    const { hostName } = this.#env.machine
    for (const line of lines) {
      socket.value.send(at, syslogPacket(line, this.#tag, hostName, this.#env.machine.localOffsetMs(line.wallMs)))
    }
    return ok(undefined)
  }

  close(): void {
    this.#closed = true
    this.#socket?.close()
    this.#socket = undefined
  }

  async #place(): Promise<Endpoint | undefined> {
    const nowMs = this.#env.clock.monoMs()
    if (this.#at !== undefined && nowMs - this.#askedMs < knownForMs) return this.#at
    this.#askedMs = nowMs
    // The last known address is used when the lookup fails.
    this.#at = (await placeOf(this.#env, this.#named)) ?? this.#at
    return this.#at
  }

  async #bound(to: Endpoint): Promise<Result<UdpSocket, string>> {
    const isOfFamily = this.#socket?.local.host.includes(':') === to.host.includes(':')
    if (this.#socket !== undefined && isOfFamily) return ok(this.#socket)
    this.#socket?.close()
    this.#socket = undefined
    const at = { host: to.host.includes(':') ? '::' : '0.0.0.0', port: 0 }
    const bound = await this.#env.udp.bind(at, () => undefined)
    if (!bound.ok) return err(`no socket: ${bound.error.kind}`)
    if (this.#closed) {
      bound.value.close()
      return err('closed')
    }
    this.#socket = bound.value
    return bound
  }
}
