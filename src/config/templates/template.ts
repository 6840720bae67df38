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
import { type Call, parseTemplate } from './parse.ts'

/**
 * What a template for addresses comes to on this machine, such as `{{ GetPrivateIP }}` or
 * `{{ GetAllInterfaces | include "name" "^eth" | join "address" " " }}`. The functions are those of
 * the field that the reference names. The error is one clause. Reference: configuration.md#address-templates.
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

/** What stands at the beginning of a pipe. */
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

/** What takes what came through the pipe. */
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

/** Addresses that others can send to, of private networks or not. RFC 6890. */
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
