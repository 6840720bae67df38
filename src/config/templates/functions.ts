import { compareText } from '../../base/bytes.ts'
import { LinearRegexp } from '../../base/linear-regexp.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Machine } from '../../env/process.ts'
import { contains, type Ip, ipText, isForwardable, isOfRfc, knownRfcs, maskOf, parseIp, parseNetwork } from './ip.ts'

/** One address of one interface. */
export interface InterfaceAddress {
  readonly name: string
  readonly ip: Ip
  readonly prefix: number
  readonly isDefault: boolean
}

export type Value = string | readonly InterfaceAddress[]
export type Outcome = Result<Value, string>

/** A list, or why there is none. */
type List = Result<readonly InterfaceAddress[], string>

export function allInterfaces(machine: Machine): readonly InterfaceAddress[] {
  const route = machine.defaultInterface?.()
  return machine.interfaces().flatMap(({ name, address, prefix }) => {
    const ip = parseIp(address)
    return ip === undefined ? [] : [{ name, ip, prefix: prefix ?? ip.bits, isDefault: name === route }]
  })
}

type Test = (at: InterfaceAddress) => boolean

/** Keeps the addresses that a selector matches. If `wanted` is false, keeps the others. */
export function select(list: readonly InterfaceAddress[], selector: string, text: string, wanted: boolean): List {
  const test = testOf(selector.toLowerCase(), text)
  return test.ok ? ok(list.filter((at) => test.value(at) === wanted)) : test
}

function testOf(selector: string, text: string): Result<Test, string> {
  switch (selector) {
    case 'type':
      return typeTest(text.toLowerCase())
    case 'name':
    case 'address': {
      const pattern = LinearRegexp.from(text)
      if (!pattern.ok) return err(`${JSON.stringify(text)} is not a regular expression`)
      return ok((at) => pattern.value.test(selector === 'name' ? at.name : ipText(at.ip)))
    }
    case 'network': {
      const network = parseNetwork(text)
      return network === undefined
        ? err(`${JSON.stringify(text)} is not a network`)
        : ok((at) => contains(network, at.ip))
    }
    case 'flag':
    case 'flags':
      return flagTest(text.toLowerCase().split('|'))
    case 'rfc':
    case 'rfcs': {
      const numbers = text.split('|')
      const unknown = numbers.find((number) => !knownRfcs().includes(number))
      if (unknown !== undefined) return err(`RFC ${unknown} is not one of ${knownRfcs().join(', ')}`)
      return ok((at) => numbers.some((number) => isOfRfc(number, at.ip) === true))
    }
    case 'size':
      return ok((at) => String(at.prefix) === text.replace('/', ''))
    default:
      return err(`the selector ${JSON.stringify(selector)} is not served`)
  }
}

function typeTest(type: string): Result<Test, string> {
  if (type === 'ip') return ok(() => true)
  if (type === 'ipv4') return ok((at) => at.ip.bits === 32)
  if (type === 'ipv6') return ok((at) => at.ip.bits === 128)
  return type === 'unix' ? ok(() => false) : err(`the type ${JSON.stringify(type)} is none of ip, ipv4, ipv6`)
}

/** The operating system does not report interfaces that are down. */
const flags: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['up', () => true],
  ['forwardable', (at) => isForwardable(at.ip)],
  ['loopback', (at) => isLoopback(at.ip)],
  ['global unicast', (at) => isForwardable(at.ip)],
  ['link-local unicast', (at) => isLinkLocal(at.ip)],
])

/** Every named flag must be set. */
function flagTest(names: readonly string[]): Result<Test, string> {
  const unknown = names.find((name) => !flags.has(name))
  if (unknown !== undefined)
    return err(`the flag ${JSON.stringify(unknown)} is none of ${[...flags.keys()].join(', ')}`)
  return ok((at) => names.every((name) => flags.get(name)?.(at) === true))
}

function isLoopback(ip: Ip): boolean {
  return ip.bits === 32 ? ip.value >> 24n === 127n : ip.value === 1n
}

function isLinkLocal(ip: Ip): boolean {
  return ip.bits === 32 ? ip.value >> 16n === 0xa9fen : ip.value >> 118n === 0x3fan
}

type Order = (a: InterfaceAddress, b: InterfaceAddress) => number

const orders: ReadonlyMap<string, Order> = new Map<string, Order>([
  ['address', (a, b) => a.ip.bits - b.ip.bits || compareBig(a.ip.value, b.ip.value)],
  ['default', (a, b) => Number(b.isDefault) - Number(a.isDefault)],
  ['name', (a, b) => compareText(a.name, b.name)],
  ['private', (a, b) => Number(isOfRfc('6890', b.ip)) - Number(isOfRfc('6890', a.ip))],
  ['size', (a, b) => a.prefix - b.prefix],
  ['type', (a, b) => a.ip.bits - b.ip.bits],
])

function compareBig(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Sorts by keys such as `default,-size`: the first key that differs decides; a minus reverses its order. */
export function sorted(list: readonly InterfaceAddress[], text: string): List {
  const by: Order[] = []
  for (const each of text.split(',')) {
    const [, sign = '', name = ''] = /^\s*([+-]?)(\w+)\s*$/.exec(each) ?? []
    const order = orders.get(name)
    if (order === undefined)
      return err(`${JSON.stringify(each)} is none of the orders ${[...orders.keys()].join(', ')}`)
    by.push(sign === '-' ? (a, b) => -order(a, b) : order)
  }
  const compare: Order = (a, b) => by.map((order) => order(a, b)).find((found) => found !== 0) ?? 0
  return ok([...list].sort(compare))
}

const attributes: ReadonlyMap<string, (at: InterfaceAddress) => string> = new Map<
  string,
  (at: InterfaceAddress) => string
>([
  ['address', (at) => ipText(at.ip)],
  ['host', (at) => ipText(at.ip)],
  ['mask_bits', (at) => String(at.prefix)],
  ['name', (at) => at.name],
  ['netmask', (at) => ipText({ ...at.ip, value: maskOf(at.ip.bits, at.prefix) })],
  ['network', (at) => `${ipText(networkOf(at))}/${at.prefix}`],
  ['size', (at) => String(1n << BigInt(at.ip.bits - at.prefix))],
  ['string', (at) => `${ipText(at.ip)}/${at.prefix}`],
  ['type', (at) => (at.ip.bits === 32 ? 'IPv4' : 'IPv6')],
])

function networkOf({ ip, prefix }: InterfaceAddress): Ip {
  return { ...ip, value: ip.value & maskOf(ip.bits, prefix) }
}

export function attributeOf(name: string): Result<(at: InterfaceAddress) => string, string> {
  const found = attributes.get(name.toLowerCase())
  return found === undefined
    ? err(`the attribute ${JSON.stringify(name)} is none of ${[...attributes.keys()].join(', ')}`)
    : ok(found)
}

/** Applies an address calculation: `address` or `network` with a number to add, or `mask` with its length. */
export function reckoned(list: readonly InterfaceAddress[], what: string, text: string): List {
  const number = /^\s*([+-]?\d+)\s*$/.exec(text)?.[1]
  if (number === undefined) return err(`${JSON.stringify(text)} is not a whole number`)
  if (what === 'mask') {
    const prefix = Number(number)
    const fits = (at: InterfaceAddress): boolean => prefix >= 0 && prefix <= at.ip.bits
    if (!list.every(fits)) return err(`a mask cannot have ${number} bits`)
    return ok(list.map((at) => ({ ...at, ip: networkOf({ ...at, prefix }), prefix })))
  }
  if (what !== 'address' && what !== 'network') return err(`math of ${JSON.stringify(what)} is not served`)
  if (!/^[+-]/.test(number)) return err(`math of ${what} needs a sign before ${number}`)
  return ok(list.map((at) => ({ ...at, ip: added(at, what, BigInt(number.replace('+', ''))) })))
}

/** A positive number counts from the first address of a network, a negative one from the last. */
function added(at: InterfaceAddress, what: 'address' | 'network', by: bigint): Ip {
  const all = (1n << BigInt(at.ip.bits)) - 1n
  if (what === 'address') return { ...at.ip, value: (at.ip.value + by) & all }
  const first = networkOf(at).value
  const last = first + (1n << BigInt(at.ip.bits - at.prefix)) - 1n
  const value = by < 0n ? last + 1n + by : first + by
  return { ...at.ip, value: value & all }
}
