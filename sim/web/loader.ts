import { bytesOf, fromBase64, textOf, utf8 } from '../../src/base/bytes.ts'
import { ipBytes } from '../../src/dns-wire/ip-address.ts'

/** The body of one file of the program's bundle, which is CommonJS. */
type FileBody = (
  exports: object,
  require: (id: string) => unknown,
  module: { exports: object },
  compiler: object,
  process: object,
) => void

/**
 * Runs the bundle of the simulator without Node: returns what the file `entry` exports. Files are named by their paths
 * within the bundle. The agent's code asks for nothing of Node; some packages do for parts of theirs that no run uses.
 */
export function load(files: Readonly<Record<string, FileBody>>, entry: string): object {
  const loaded = new Map<string, { exports: object }>()
  const loadFile = (name: string): object => {
    const before = loaded.get(name)
    if (before !== undefined) return before.exports
    const body = Object.hasOwn(files, name) ? files[name] : undefined
    if (body === undefined) throw new Error(`the page lacks the file ${name} of the simulator`)
    const module = { exports: {} }
    loaded.set(name, module)
    const folder = name.split('/').slice(0, -1)
    const require = (id: string): unknown => (id.startsWith('.') ? loadFile(joined(folder, id)) : ofNode(id))
    body(module.exports, require, module, noCompiler, process)
    return module.exports
  }
  return loadFile(entry)
}

function joined(folder: readonly string[], id: string): string {
  const path = [...folder]
  for (const part of id.split('/')) {
    if (part === '..') path.pop()
    else if (part !== '.') path.push(part)
  }
  return path.join('/')
}

/**
 * `Function` as the bundle sees it. The page's policy forbids to compile text, which two packages try in order to be
 * faster. So they learn here that they must do without, and the browser has no breach of the policy to report.
 */
const noCompiler = new Proxy(Function, {
  construct: () => {
    throw new EvalError('this page compiles no text')
  },
  apply: () => {
    throw new EvalError('this page compiles no text')
  },
})

/** Bytes as the codec of DNS has them. */
class Bytes extends Uint8Array {
  override toString(encoding = 'utf8'): string {
    if (encoding !== 'utf8') throw new Error(`a browser's page writes no text in ${encoding}`)
    return textOf(this)
  }
}

function bytesFrom(value: string | Iterable<number>, encoding = 'utf8'): Bytes {
  if (typeof value !== 'string') return new Bytes([...value])
  if (encoding === 'latin1') return new Bytes(bytesOf(value))
  return new Bytes(encoding === 'base64' ? (fromBase64(value) ?? []) : utf8(value))
}

const Buffer = Object.assign(Bytes, {
  isBuffer: (value: unknown) => value instanceof Bytes,
  alloc: (length: number) => new Bytes(length),
  from: bytesFrom,
})

type Listener = (...told: readonly unknown[]) => void

/** What commands of the command line need of Node's emitter. */
class Emitter {
  readonly #listeners = new Map<string, Listener[]>()

  on(event: string, listener: Listener): this {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener])
    return this
  }

  emit(event: string, ...told: readonly unknown[]): boolean {
    const listeners = this.#listeners.get(event) ?? []
    for (const listener of listeners) Reflect.apply(listener, this, told)
    return listeners.length > 0
  }

  listenerCount(event: string): number {
    return this.#listeners.get(event)?.length ?? 0
  }
}

const events = Object.assign(Emitter, { EventEmitter: Emitter })
const process = {
  argv: [],
  execArgv: [],
  // A package looks for native code of its own, unless this forbids it.
  env: { MSGPACKR_NATIVE_ACCELERATION_DISABLED: 'true' },
  platform: 'browser',
  versions: {},
  stdout: {},
  stderr: {},
}
const silent = (): void => undefined

const standIns: Readonly<Record<string, object>> = {
  events,
  process,
  buffer: { Buffer },
  util: { debuglog: () => silent, inspect: String },
  url: { URL, pathToFileURL: (path: string) => new URL(path, 'file:///') },
  net: {
    isIPv4: (text: string) => ipBytes(text)?.length === 4,
    isIPv6: (text: string) => ipBytes(text)?.length === 16,
  },
}

/** A module of Node. Of one that is not here every member is a class, so that others can be declared on it, and throws. */
function ofNode(id: string): object {
  const name = id.replace(/^node:/, '')
  const standIn = Object.hasOwn(standIns, name) ? standIns[name] : undefined
  return new Proxy(standIn ?? {}, {
    get: (target, member) => {
      if (member in target || typeof member === 'symbol' || member === 'default') return Reflect.get(target, member)
      return missing(`${name}.${member}`)
    },
  })
}

function missing(what: string): object {
  return function absent(): void {
    throw new Error(`${what} of Node was called, which a browser does not have`)
  }
}
