import type { Machine } from '../../env/process.ts'
import type { Report } from '../parts/values.ts'
import type { FileConfig } from '../schema.ts'
import { evaluateTemplate } from '../templates/template.ts'

/**
 * The configuration with every address template evaluated on this machine. Reference:
 * configuration.md#address-templates.
 */
export function withAddresses(file: FileConfig, machine: Machine, problem: Report): FileConfig {
  const one = (key: string, text: string | undefined): string | undefined =>
    text === undefined ? undefined : expanded(key, text, machine, problem)
  // An empty address counts as not given, as in the field: scripts write the key, and have no address to put there.
  const optional = (key: string, text: string | undefined): string | undefined =>
    one(key, text === '' ? undefined : text)
  const many = (key: string, texts: readonly string[] | undefined): string[] | undefined =>
    texts?.flatMap((text) =>
      hasTemplate(text)
        ? expanded(key, text, machine, problem)
            .split(' ')
            .filter((address) => address !== '')
        : [text],
    )
  const { addresses } = file
  return {
    ...file,
    addresses: addresses && {
      ...addresses,
      dns: optional('addresses.dns', addresses.dns),
      grpc: optional('addresses.grpc', addresses.grpc),
      http: optional('addresses.http', addresses.http),
      https: optional('addresses.https', addresses.https),
    },
    advertise_addr: optional('advertise_addr', file.advertise_addr),
    advertise_addr_wan: optional('advertise_addr_wan', file.advertise_addr_wan),
    bind_addr: one('bind_addr', file.bind_addr),
    client_addr: one('client_addr', file.client_addr),
    recursors: many('recursors', file.recursors),
    retry_join: many('retry_join', file.retry_join),
    retry_join_wan: many('retry_join_wan', file.retry_join_wan),
    serf_lan: optional('serf_lan', file.serf_lan),
    serf_wan: optional('serf_wan', file.serf_wan),
    start_join: many('start_join', file.start_join),
    start_join_wan: many('start_join_wan', file.start_join_wan),
  }
}

/** A discovery request, such as `provider=aws`, may contain braces of its own. */
function hasTemplate(text: string): boolean {
  return text.includes('{{') && !text.includes('provider=')
}

/** Placeholder for an unresolved template, already reported; suppresses follow-up errors. */
const standIn = '127.0.0.1'

function expanded(key: string, text: string, machine: Machine, problem: Report): string {
  if (!hasTemplate(text)) return text
  const value = evaluateTemplate(text, machine)
  if (!value.ok) {
    problem(
      `${key}: error parsing ${JSON.stringify(text)}: ${value.error}`,
      'correct the template, or write an address',
      key,
    )
    return standIn
  }
  const address = value.value.trim()
  if (address !== '') return address
  problem(`${key}: ${JSON.stringify(text)} comes to no address on this machine`, 'write an address', key)
  return standIn
}
