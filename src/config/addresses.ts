import { err, ok, type Result } from '../base/result.ts'
import type { Machine } from '../env/process.ts'
import type { ConfigProblem } from './problem.ts'
import type { Report } from './quantities.ts'
import type { FileConfig } from './schema.ts'

/** Whether the text is an IPv4 or IPv6 address. */
export function isAddress(text: string): boolean {
  return isIpv4(text) || isIpv6(text)
}

function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

function isIpv6(text: string): boolean {
  if (!/^[0-9A-Fa-f:]*(\d+\.\d+\.\d+\.\d+)?$/.test(text) || !text.includes(':')) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const count = groups.reduce((sum, group) => sum + (isIpv4(group) ? 2 : /^[0-9A-Fa-f]{1,4}$/.test(group) ? 1 : 99), 0)
  return halves.length === 2 ? count <= 7 : count === 8
}

/** RFC 1123, section 2.1; underscores as hosts use them. What is all digits and dots is a mistyped address. */
export function isHostName(text: string): boolean {
  const name = text.replace(/\.$/, '')
  const labels = name.split('.')
  if (name.length > 253 || /^[\d.]+$/.test(name)) return false
  return labels.every((label) => /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/.test(label))
}

/** Any address: what a listener may bind to and nobody can be reached at. */
function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::' || address === '[::]'
}

/** RFC 1918, and 100.64/10 of RFC 6598. */
function isPrivate(address: string): boolean {
  const [a, b] = address.split('.').map(Number) as [number, number]
  return a === 10 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b < 32) || (a === 100 && b >= 64 && b < 128)
}

export interface ClusterAddress {
  readonly bind: string
  readonly advertise: string
}

/** Where to listen for other agents, and what to tell them. Spec: Ver/0.6 (several private addresses); reference: configuration 4.3. */
export function bindAddress(file: FileConfig, dev: boolean, machine: Machine): Result<ClusterAddress, ConfigProblem> {
  const bind = file.bind_addr ?? (dev ? '127.0.0.1' : '0.0.0.0')
  const wrong = notOneAddress('bind_addr', bind)
  if (wrong !== undefined) return err({ place: 'config', message: wrong, remedy: bindRemedy(bind) })
  const advertise = file.advertise_addr
  if (advertise !== undefined) {
    if (isUnspecified(advertise)) {
      return err({
        place: 'config',
        message: 'Advertise address cannot be 0.0.0.0, :: or [::]',
        remedy: 'write an address others can reach',
      })
    }
    if (!isAddress(advertise)) {
      return err({
        place: 'config',
        message: `advertise_addr "${advertise}" must be an ip address`,
        remedy: 'write an IP address',
      })
    }
    return ok({ bind, advertise })
  }
  if (!isUnspecified(bind)) return ok({ bind, advertise: bind })
  const found = machine
    .interfaces()
    .map((at) => at.address)
    .filter((address) => isIpv4(address) && isPrivate(address))
  const [only, second] = [...new Set(found)]
  const remedy = "configure one with '-bind' and/or '-advertise'"
  if (only === undefined) return err({ place: 'config', message: 'No private IPv4 address found', remedy })
  if (second !== undefined) return err({ place: 'config', message: 'Multiple private IPv4 addresses found', remedy })
  return ok({ bind, advertise: only })
}

/** In the field's words. Undefined where it is one address. */
function notOneAddress(key: string, text: string): string | undefined {
  if (text === '') return `${key} cannot be empty`
  if (/\s/.test(text.trim())) return `${key} cannot contain multiple addresses`
  if (text.startsWith('unix:')) return `${key} cannot be a unix socket`
  return isAddress(text) ? undefined : `${key} "${text}" must be an ip address`
}

function bindRemedy(text: string): string {
  return /\s/.test(text.trim()) ? "use 'addresses.{dns,http,https}' instead" : 'write an IP address'
}

/** What servers of other datacenters are told. */
export function advertiseWan(file: FileConfig, otherwise: string, problem: Report): string {
  const given = file.advertise_addr_wan ?? otherwise
  if (isUnspecified(given)) {
    problem('Advertise WAN address cannot be 0.0.0.0, :: or [::]', 'write an address others can reach')
  } else if (!isAddress(given)) {
    problem(`advertise_addr_wan "${given}" must be an ip address`, 'write an IP address')
  }
  return given
}
