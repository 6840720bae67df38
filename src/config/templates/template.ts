import { itemAt } from '../../base/items.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Machine } from '../../env/process.ts'
import {
  allInterfaces,
  attributeOf,
  type InterfaceAddress,
  type Outcome,
  reckoned,
  select,
  sorted,
  type Value,
} from './functions.ts'

/**
 * The value of an address template on this machine, such as `{{ GetPrivateIP }}` or `{{ GetAllInterfaces | include
 * "name" "^eth" | join "address" " " }}`. The functions are those of the field that the reference names. The error is
 * one clause. Reference: configuration.md#address-templates.
 */
export function evaluateTemplate(text: string, machine: Machine): Result<string, string> {
  const pieces = parseTemplate(text)
  if (!pieces.ok) return pieces
  let out = ''
  for (const piece of pieces.value) {
    const value = typeof piece === 'string' ? ok(piece) : evaluated(piece, machine)
    if (!value.ok) return value
    if (typeof value.value !== 'string') return err('it comes to interfaces: end it with join "address" " "')
    out += value.value
  }
  return ok(out)
}

function evaluated(calls: readonly Call[], machine: Machine): Outcome {
  let value: Value | undefined
  for (const call of calls) {
    const next: Outcome = value === undefined ? source(call, machine) : step(call, value)
    if (!next.ok) return next
    value = next.value
  }
  return ok(value ?? '')
}

type Addresses = readonly InterfaceAddress[]

/** The first function of a pipe. */
function source({ name, args }: Call, machine: Machine): Outcome {
  const all = allInterfaces(machine)
  const [pattern = ''] = args
  switch (`${name} ${args.length}`) {
    case 'GetAllInterfaces 0':
      return ok(all)
    case 'GetDefaultInterfaces 0':
      return machine.defaultInterface?.() === undefined
        ? err('the default route is not known here')
        : ok(all.filter((at) => at.isDefault))
    case 'GetPrivateInterfaces 0':
      return inOrder(reachable(all, true), 'default,type,size')
    case 'GetPublicInterfaces 0':
      return inOrder(reachable(all, false), 'default,type,size')
    case 'GetPrivateIP 0':
      return first(inOrder(reachable(all, true), 'default,type,size'))
    case 'GetPublicIP 0':
      return first(inOrder(reachable(all, false), 'default,type,size'))
    case 'GetPrivateIPs 0':
      return joined(inOrder(reachable(all, true), 'type,size'), 'address', ' ')
    case 'GetPublicIPs 0':
      return joined(inOrder(reachable(all, false), 'type,size'), 'address', ' ')
    case 'GetInterfaceIP 1':
      return first(named(all, pattern))
    case 'GetInterfaceIPs 1':
      return joined(named(all, pattern), 'address', ' ')
    default:
      return unknown(name, args.length)
  }
}

/** A function that takes the value of the pipe. */
function step({ name, args }: Call, value: Value): Outcome {
  if (typeof value === 'string') return err(`${name} takes interfaces, and is given a text`)
  const [one = '', two = ''] = args
  switch (`${name} ${args.length}`) {
    case 'include 2':
      return select(value, one, two, true)
    case 'exclude 2':
      return select(value, one, two, false)
    case 'sort 1':
      return sorted(value, one)
    case 'limit 1':
      return /^\d+$/.test(one) ? ok(value.slice(0, Number(one))) : err(`limit ${one} is not a count`)
    case 'offset 1':
      return /^-?\d+$/.test(one) ? ok(value.slice(Number(one))) : err(`offset ${one} is not a whole number`)
    case 'unique 1':
      return unique(value, one)
    case 'join 2':
      return joined(ok(value), one, two)
    case 'attr 1':
      return joined(ok(value.slice(0, 1)), one, '')
    case 'math 2':
      return reckoned(value, one, two)
    default:
      return unknown(name, args.length)
  }
}

const served = [
  ...['GetAllInterfaces', 'GetDefaultInterfaces', 'GetPrivateInterfaces', 'GetPublicInterfaces'],
  ...['GetPrivateIP', 'GetPrivateIPs', 'GetPublicIP', 'GetPublicIPs', 'GetInterfaceIP', 'GetInterfaceIPs'],
  ...['include', 'exclude', 'sort', 'limit', 'offset', 'unique', 'join', 'attr', 'math'],
]

function unknown(name: string, args: number): Outcome {
  if (!served.includes(name)) return err(`function ${JSON.stringify(name)} not defined`)
  return err(`${name} cannot stand here with ${args} argument${args === 1 ? '' : 's'}`)
}

/** Addresses that other machines can send to, either private or public ones. RFC 6890. */
function reachable(all: Addresses, isPrivate: boolean): Result<Addresses, string> {
  const forwardable = select(all, 'flags', 'forwardable', true)
  return forwardable.ok ? select(forwardable.value, 'rfc', '6890', isPrivate) : forwardable
}

function named(all: Addresses, pattern: string): Result<Addresses, string> {
  const found = select(all, 'name', pattern, true)
  const reached = found.ok ? select(found.value, 'flags', 'forwardable', true) : found
  return inOrder(reached, 'type,size')
}

function inOrder(list: Result<Addresses, string>, order: string): Result<Addresses, string> {
  return list.ok ? sorted(list.value, order) : list
}

function first(list: Result<Addresses, string>): Outcome {
  return list.ok ? joined(ok(list.value.slice(0, 1)), 'address', ' ') : list
}

function joined(list: Result<Addresses, string>, attribute: string, between: string): Outcome {
  if (!list.ok) return list
  const read = attributeOf(attribute)
  return read.ok ? ok(list.value.map(read.value).join(between)) : read
}

function unique(list: Addresses, attribute: string): Outcome {
  const read = attributeOf(attribute)
  if (!read.ok) return read
  const texts = list.map(read.value)
  return ok(list.filter((_, at) => texts.indexOf(itemAt(texts, at)) === at))
}

/** A function with its arguments; the value of the pipe becomes its last argument. */
interface Call {
  readonly name: string
  readonly args: readonly string[]
}

/** Literal text, or a pipe of calls, each of which receives the result of the one before. */
type Piece = string | readonly Call[]

/**
 * Parses `a {{ F "x" | g 1 }} b`. Of the field's templates, calls and pipes are supported; conditions, loops and
 * variables are refused. The error is one clause. Reference: configuration.md#address-templates.
 */
function parseTemplate(text: string): Result<readonly Piece[], string> {
  const pieces: Piece[] = []
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf('{{', at)
    if (open < 0) return ok([...pieces, text.slice(at)])
    pieces.push(text.slice(at, open))
    const calls = readCalls(text, open + 2)
    if (!calls.ok) return calls
    pieces.push(calls.value.calls)
    at = calls.value.end
  }
  return ok(pieces)
}

/** Matches one token at the given position. */
const token =
  /\s*(?:(?<end>\}\})|(?<pipe>\|)|"(?<quoted>(?:[^"\\\n]|\\.)*)"|`(?<raw>[^`]*)`|(?<word>[A-Za-z_]\w*)|(?<number>[+-]?\d+)|(?<rest>.))/y

const words = new Set(['if', 'else', 'end', 'range', 'with', 'define', 'template', 'block', 'nil', 'true', 'false'])

interface ReadCalls {
  readonly calls: readonly Call[]
  /** The position after the closing braces. */
  readonly end: number
}

function readCalls(text: string, from: number): Result<ReadCalls, string> {
  const calls: { name: string; args: string[] }[] = []
  const tokens = new RegExp(token)
  let expectsName = true
  for (let at = from; ; ) {
    tokens.lastIndex = at
    const found = tokens.exec(text)?.groups
    if (found === undefined) return err('the template is not closed with }}')
    at = tokens.lastIndex
    const { end, pipe, quoted, raw, word, number, rest } = found
    if (end !== undefined || pipe !== undefined) {
      if (expectsName) return err(calls.length === 0 ? 'the template is empty' : 'a function is missing behind |')
      if (end !== undefined) return ok({ calls, end: at })
      expectsName = true
    } else if (word !== undefined && expectsName && !words.has(word)) {
      calls.push({ name: word, args: [] })
      expectsName = false
    } else {
      const value = quoted === undefined ? (raw ?? number) : unquoted(quoted)
      const call = calls.at(-1)
      if (value === undefined || expectsName || call === undefined) {
        return err(
          `${JSON.stringify(word ?? rest ?? quoted ?? raw ?? number)} is not served: write functions and pipes`,
        )
      }
      call.args.push(value)
    }
  }
}

function unquoted(text: string): string | undefined {
  return text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped === 't' ? '\t' : escaped))
}
