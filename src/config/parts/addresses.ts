import { err, ok, type Result } from '../../base/result.ts'
import type { Machine } from '../../env/process.ts'
import { ipBytes, ipText } from '../../gossip/wire/ip-bytes.ts'
import { hasBehaviour, newestRelease, type Release } from '../../model/release.ts'
import { isAddress } from '../../rpc/address.ts'
import type { FileConfig } from '../schema.ts'
import { isForwardable, isOfRfc, parseIp } from '../templates/ip.ts'
import type { Report } from './values.ts'

/**
 * An address in the form in which other agents see it, because gossip carries bytes: an agent that wrote its own address
 * otherwise would take itself for another agent of its name. Any other text as it is.
 */
function asSeen(text: string): string {
  const bytes = ipBytes(text)
  return (bytes && ipText(bytes)) ?? text
}

/** Whether this is an unspecified address, which a listener may bind to but which cannot be dialed. */
function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::' || address === '[::]'
}

/** RFC 1918, and 100.64/10 of RFC 6598. */
function isPrivateIpv4(address: string): boolean {
  const ip = parseIp(address)
  return ip?.bits === 32 && (isOfRfc('1918', ip) === true || isOfRfc('6598', ip) === true)
}

function isPublicIpv6(address: string): boolean {
  const ip = parseIp(address)
  return ip?.bits === 128 && isForwardable(ip) && isOfRfc('6890', ip) === false
}

export interface ClusterAddress {
  readonly bind: string
  readonly advertise: string
}

/**
 * The listen address for other agents, and the address to advertise. Spec: AGT-026, AGT-027. Reference:
 * configuration.md#detected-addresses.
 */
export function bindAddress(
  file: FileConfig,
  dev: boolean,
  machine: Machine,
  release: Release = newestRelease,
): Result<ClusterAddress, Parameters<Report>> {
  const bind = asSeen(file.bind_addr ?? (dev ? '127.0.0.1' : '0.0.0.0'))
  const wrong = notOneAddress('bind_addr', bind)
  if (wrong !== undefined) return err([wrong, bindRemedy(bind), 'bind_addr'])
  const advertise = file.advertise_addr === undefined ? undefined : asSeen(file.advertise_addr)
  if (advertise !== undefined) {
    if (isUnspecified(advertise)) {
      return err([
        'Advertise address cannot be 0.0.0.0, :: or [::]',
        'write an address others can reach',
        'advertise_addr',
      ])
    }
    if (!isAddress(advertise)) {
      return err([`advertise_addr "${advertise}" must be an ip address`, 'write an IP address', 'advertise_addr'])
    }
    return ok({ bind, advertise })
  }
  if (!isUnspecified(bind)) return ok({ bind, advertise: bind })
  const kind = bind === '0.0.0.0' ? 'private IPv4' : 'public IPv6'
  const isWanted = bind === '0.0.0.0' ? isPrivateIpv4 : isPublicIpv6
  const found = machine.interfaces().map((at) => at.address)
  const [only, second] = [...new Set(found.filter(isWanted))]
  const remedy = "configure one with '-bind' and/or '-advertise'"
  const chosenBy = ['bind_addr', 'advertise_addr']
  if (only === undefined) return err([`No ${kind} address found`, remedy, undefined, chosenBy])
  const mustBeOne = bind !== '0.0.0.0' || hasBehaviour(release, 'one-private-address')
  if (second !== undefined && mustBeOne) return err([`Multiple ${kind} addresses found`, remedy, undefined, chosenBy])
  return ok({ bind, advertise: only })
}

/** The field's error; undefined if it is exactly one address. */
function notOneAddress(key: string, text: string): string | undefined {
  if (text === '') return `${key} cannot be empty`
  if (/\s/.test(text.trim())) return `${key} cannot contain multiple addresses`
  if (text.startsWith('unix:')) return `${key} cannot be a unix socket`
  return isAddress(text) ? undefined : `${key} "${text}" must be an ip address`
}

function bindRemedy(text: string): string {
  return /\s/.test(text.trim()) ? "use 'addresses.{dns,http,https}' instead" : 'write an IP address'
}

/** The address to advertise to servers of other datacenters. */
export function advertiseWan(file: FileConfig, otherwise: string, problem: Report): string {
  const given = asSeen(file.advertise_addr_wan ?? otherwise)
  if (isUnspecified(given)) {
    const message = 'Advertise WAN address cannot be 0.0.0.0, :: or [::]'
    problem(message, 'write an address others can reach', 'advertise_addr_wan')
  } else if (!isAddress(given)) {
    problem(`advertise_addr_wan "${given}" must be an ip address`, 'write an IP address', 'advertise_addr_wan')
  }
  return given
}
