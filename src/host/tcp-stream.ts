import { readSync } from 'node:fs'
import type { Socket } from 'node:net'
import { invariant } from '../base/invariant.ts'
import {
  type Endpoint,
  highWaterBytes,
  type PeerCertificate,
  type SendingTime,
  type StreamEnd,
  type TcpStream,
} from '../env/net.ts'
import { plainBytes } from '../native/plain-bytes.ts'
import { endpointOf } from './net-failures.ts'
import type { OpenThings } from './open-things.ts'
import { codeOf } from './system-error.ts'

/** An idle connection is probed after this, so that a peer that lost power does not keep it for ever. */
const keepAliveProbeMs = 15_000

/** How long bytes that are to be sent soon wait for others. */
const soonMs = 1

/**
 * One connected socket. `raw` is the TCP socket under a TLS one, and the same as `socket` without TLS: only through it
 * can the connection be broken in a way that notifies the peer.
 *
 * Node starts to deliver data when the first listener is set, so nothing is lost before `onData`. Its 'close' event
 * comes in a later turn than the call that caused it.
 */
export class HostTcpStream implements TcpStream {
  readonly local: Endpoint
  readonly remote: Endpoint
  readonly peer: PeerCertificate | undefined
  readonly #socket: Socket
  readonly #raw: Socket
  readonly #open: OpenThings
  #broken: StreamEnd | undefined
  /** Closed by its owner, which gets no more events, and about to be destroyed. */
  #leaving = false
  #wantsDrain = false
  /** What was written is held until this time; undefined: nothing is held. */
  #held: SendingTime | undefined
  #soon: NodeJS.Timeout | undefined
  /** Whether the connection was broken when its owner ended it; undefined: the owner has not. */
  #goneBeforeEnd: boolean | undefined
  #drain: (() => void) | undefined
  #end: (() => void) | undefined
  #close: ((why: StreamEnd) => void) | undefined
  #over: StreamEnd | undefined

  constructor(socket: Socket, raw: Socket, open: OpenThings, peer?: PeerCertificate) {
    this.peer = peer
    this.#socket = socket
    this.#raw = raw
    this.#open = open
    this.local = endpointOf(socket.localAddress, socket.localPort)
    this.remote = endpointOf(socket.remoteAddress, socket.remotePort)
    raw.setNoDelay(true)
    raw.setKeepAlive(true, keepAliveProbeMs)
    open.add(this)
    socket.on('error', (cause) => {
      this.#broken ??= codeOf(cause) === 'ETIMEDOUT' ? 'timeout' : 'reset'
    })
    socket.on('drain', () => this.#drained())
    socket.on('end', () => this.#peerEnded())
    socket.on('close', () => this.#ended())
  }

  onData(use: (bytes: Uint8Array) => void): void {
    this.#socket.on('data', (bytes: Uint8Array) => {
      if (!this.#leaving) use(plainBytes(bytes))
    })
  }

  onEnd(use: () => void): void {
    this.#end = use
  }

  onClose(use: (why: StreamEnd) => void): void {
    this.#close = use
    const over = this.#over
    if (over !== undefined) setImmediate(() => use(over))
  }

  onDrain(use: () => void): void {
    this.#drain = use
  }

  write(bytes: Uint8Array, when: SendingTime = 'now'): boolean {
    const socket = this.#socket
    if (!socket.writable || this.#leaving) return false
    this.#hold(when)
    socket.write(bytes)
    if (socket.writableLength <= highWaterBytes) return true
    this.#wantsDrain = true
    return false
  }

  queuedBytes(): number {
    return this.#socket.writableLength
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  end(): void {
    if (this.#socket.writable) this.#goneBeforeEnd = !isConnected(this.#raw)
    this.#socket.end()
  }

  close(): void {
    if (this.#socket.destroyed || this.#leaving) return
    this.#broken ??= 'closed'
    if (this.#endIsPending()) this.#socket.destroy()
    else if (this.#socket === this.#raw) this.#raw.resetAndDestroy()
    else this.#resetUnderTls()
  }

  /**
   * While an end is being sent, libuv refuses to reset the socket, and Node then forgets the handle without closing it:
   * no 'close' event would follow, and the descriptor would stay open for good.
   */
  #endIsPending(): boolean {
    return this.#socket.writableEnded && !this.#socket.writableFinished
  }

  /**
   * Node refuses to reset a TLS socket, and crashes when the socket under it is reset from outside while writes are
   * queued. So TLS is closed in its own order, and the socket under it is marked to end by a reset when its turn comes:
   * the flag is the one that `resetAndDestroy` sets. Without it, the peer would see an orderly end. This happens in a
   * later turn: a caller that closes a stream in the turn in which its handshake ended is still called from within
   * OpenSSL, which Node would free while it runs.
   */
  #resetUnderTls(): void {
    Object.assign(this.#raw, { resetAndClosing: true })
    this.#leaving = true
    setImmediate(() => this.#socket.destroy())
  }

  /**
   * Bytes that are written in one turn are sent in one system call, and with them what waited to be sent soon. Such a
   * call often has the system run the process that gets the bytes at once, in place of this one: what nothing waits for
   * would delay what this turn has yet to do, such as answering a client.
   */
  #hold(until: SendingTime): void {
    if (this.#held === 'now' || this.#held === until) return
    if (this.#held === undefined) this.#socket.cork()
    this.#held = until
    if (until === 'now') process.nextTick(() => this.#sendHeld())
    else this.#soon = setTimeout(() => this.#sendHeld(), soonMs)
  }

  #sendHeld(): void {
    this.#held = undefined
    clearTimeout(this.#soon)
    if (!this.#leaving) this.#socket.uncork()
  }

  #peerEnded(): void {
    if (this.#leaving) return
    // While bytes are queued, the own end has not gone out yet.
    const endIsOut = this.#goneBeforeEnd !== undefined && this.#socket.writableLength === 0
    const isOver = endIsOut ? this.#goneBeforeEnd : !isConnected(this.#raw)
    if (!isOver && !isBroken(this.#raw)) return this.#end?.()
    this.#broken ??= 'reset'
    this.#socket.destroy()
  }

  #drained(): void {
    if (!this.#wantsDrain || this.#leaving || this.#socket.destroyed) return
    this.#wantsDrain = false
    this.#drain?.()
  }

  #ended(): void {
    invariant(this.#over === undefined, 'a stream is over only once')
    clearTimeout(this.#soon)
    this.#open.delete(this)
    this.#over = this.#broken ?? 'ended'
    this.#close?.(this.#over)
  }
}

/**
 * If a reset overtakes bytes that were not read yet, libuv reads them and then reports an orderly end (its shortcut for
 * POLLHUP). The kernel knows better: a reset socket has no peer any more; one whose peer ended still has one, until its
 * own end. No public member of a socket asks the kernel: `remoteAddress` is remembered from its first reading, the state
 * of the streams is Node's own, and a process report, the one public place with the answer, takes 40 ms. So the question
 * goes to the handle, which Node does not promise; without the handle, the end is believed.
 */
function isConnected(raw: Socket): boolean {
  const handle = handleOf(raw)
  return typeof handle?.getpeername !== 'function' || handle.getpeername({}) === 0
}

/**
 * After its own end, a socket has no peer in either case. But if libuv has not read what broke the connection, the
 * kernel still keeps the error for the next read, so one byte is requested: there is none, because the end has come
 * (or, under TLS, the notice that nothing follows), unless the stream never ended, and then the result is the error.
 *
 * Under TLS, the end begins with a message of its own. If the connection is broken by then, that message meets the
 * error, and Node drops it without notifying anyone. So this is checked before, when the owner ends the stream. A later
 * break meets the bytes that are still to be written; only one after the last of them counts as an end.
 */
function isBroken(raw: Socket): boolean {
  const descriptor = handleOf(raw)?.fd
  if (typeof descriptor !== 'number' || descriptor < 0) return false
  try {
    readSync(descriptor, new Uint8Array(1))
    return false
  } catch (cause) {
    return breaks.has(codeOf(cause))
  }
}

const breaks: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

interface SocketHandle {
  readonly getpeername?: (out: object) => number
  readonly fd?: number
}

function handleOf(raw: Socket): SocketHandle | null | undefined {
  return (raw as { _handle?: SocketHandle | null })._handle
}
