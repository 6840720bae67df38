import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import dgram from 'node:dgram'
import dns from 'node:dns'
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import tls from 'node:tls'
import type { TurnState } from '../world/platform.ts'

/** Thrown if code in a simulated turn uses facilities of the real machine. */
class AmbientAccess extends Error {
  override readonly name = 'AmbientAccess'
}

type Functions = Record<string | symbol, unknown>

interface Guarded {
  readonly owner: object
  /** The owner's name in the message. */
  readonly of: string
  readonly names: readonly (string | symbol)[]
  readonly instead: string
}

/**
 * While a turn runs, Node's clocks, randomness, timers and sockets throw. They are replaced once for a run and check at
 * each call whether a turn is open: between turns they work as usual.
 */
export class Tripwire {
  readonly #turn: TurnState

  constructor(turn: TurnState) {
    this.#turn = turn
    if (open.size === 0) guards.putUp()
    open.add(turn)
  }

  close(): void {
    if (open.delete(this.#turn) && open.size === 0) guards.takeDown()
  }
}

function check(what: string, instead: string): void {
  for (const { holder } of open) {
    if (holder !== undefined) throw new AmbientAccess(`${what} in the turn of ${holder}: use ${instead}`)
  }
}

class Guards {
  readonly #undo: (() => void)[] = []

  putUp(): void {
    this.#guardDate()
    for (const guarded of guardedThings()) {
      for (const name of guarded.names) this.#guard(guarded, name)
    }
    syncBuiltinESMExports()
  }

  takeDown(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo()
    syncBuiltinESMExports()
  }

  #guard({ owner, of, names: _names, instead }: Guarded, name: string | symbol): void {
    const original = (owner as Functions)[name]
    if (typeof original !== 'function') return
    const what = `${of}${String(name)}`
    const call = original as (...given: unknown[]) => unknown
    const guard = function (this: unknown, ...given: unknown[]): unknown {
      check(what, instead)
      return new.target === undefined ? call.apply(this, given) : Reflect.construct(call, given)
    }
    // The guard gets the properties of its function: `hrtime.bigint`, and what `promisify` looks for.
    const {
      length: _length,
      name: _name,
      prototype: _prototype,
      ...extras
    } = Object.getOwnPropertyDescriptors(original)
    Object.defineProperties(guard, extras)
    this.#replace(owner, name, guard)
  }

  #guardDate(): void {
    const RealDate = Date
    const guard = function (this: unknown, ...given: unknown[]): unknown {
      if (new.target === undefined || given.length === 0) check('the date of now', 'env.clock')
      if (new.target === undefined) return RealDate()
      return Reflect.construct(RealDate, given, new.target === (guard as unknown) ? RealDate : new.target)
    }
    const now = (): number => {
      check('Date.now', 'env.clock')
      return RealDate.now()
    }
    Object.defineProperties(guard, {
      prototype: { value: RealDate.prototype },
      now: { value: now },
      UTC: { value: RealDate.UTC },
      parse: { value: RealDate.parse },
      name: { value: 'Date' },
      length: { value: 7 },
    })
    this.#replace(globalThis, 'Date', guard)
    this.#replace(RealDate.prototype, 'constructor', guard)
  }

  #replace(owner: object, name: string | symbol, value: unknown): void {
    const before = Object.getOwnPropertyDescriptor(owner, name)
    if (before?.configurable === false && before.writable !== true) return
    Object.defineProperty(owner, name, {
      configurable: before?.configurable ?? true,
      enumerable: before?.enumerable ?? true,
      writable: true,
      value,
    })
    this.#undo.push(() => {
      if (before === undefined) Reflect.deleteProperty(owner, name)
      else Object.defineProperty(owner, name, before)
    })
  }
}

/** The turns of the open simulations. The guards are installed once, while there is at least one. */
const open = new Set<TurnState>()
const guards = new Guards()

function guardedThings(): readonly Guarded[] {
  const timers = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']
  const randomness = [
    'randomBytes',
    'pseudoRandomBytes',
    'randomUUID',
    'randomInt',
    'randomFill',
    'randomFillSync',
    'generateKey',
    'generateKeySync',
    'generateKeyPair',
    'generateKeyPairSync',
    'pbkdf2',
    'scrypt',
  ]
  return [
    { owner: Math, of: 'Math.', names: ['random'], instead: 'env.random.draws(purpose)' },
    { owner: globalThis, of: '', names: timers, instead: 'env.timers, or env.deferred() for promises' },
    { owner: globalThis, of: '', names: ['fetch'], instead: 'env.http' },
    { owner: performance, of: 'performance.', names: ['now'], instead: 'env.clock.monoMs()' },
    { owner: process.hrtime, of: 'process.hrtime.', names: ['bigint'], instead: 'env.clock.monoMs()' },
    { owner: process, of: 'process.', names: ['hrtime', 'uptime'], instead: 'env.clock.monoMs()' },
    { owner: crypto, of: 'crypto.', names: randomness, instead: 'env.crypto' },
    { owner: crypto.webcrypto, of: 'crypto.', names: ['getRandomValues', 'randomUUID'], instead: 'env.crypto' },
    { owner: fs, of: 'fs.', names: functionsOf(fs), instead: 'env.disk' },
    { owner: fs.promises, of: 'fs.promises.', names: functionsOf(fs.promises), instead: 'env.disk' },
    { owner: net, of: 'net.', names: ['connect', 'createConnection', 'createServer'], instead: 'env.tcp' },
    { owner: net.Socket.prototype, of: 'net.Socket.', names: ['connect'], instead: 'env.tcp' },
    { owner: net.Server.prototype, of: 'net.Server.', names: ['listen'], instead: 'env.tcp' },
    { owner: tls, of: 'tls.', names: ['connect', 'createServer'], instead: 'env.tcp' },
    { owner: dgram, of: 'dgram.', names: ['createSocket'], instead: 'env.udp' },
    { owner: dns, of: 'dns.', names: ['lookup', 'resolve', 'resolve4', 'resolve6'], instead: 'addresses' },
    { owner: http, of: 'http.', names: ['request', 'get', 'createServer'], instead: 'env.http' },
    { owner: https, of: 'https.', names: ['request', 'get', 'createServer'], instead: 'env.http' },
    {
      owner: childProcess,
      of: 'child_process.',
      names: ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'],
      instead: 'env.processes',
    },
  ]
}

/** Functions but not classes, because other code tests for their instances. */
function functionsOf(owner: object): readonly string[] {
  return Object.keys(owner).filter((name) => /^[a-z]/.test(name) && typeof (owner as Functions)[name] === 'function')
}
