import { parseDuration } from '../base/duration.ts'
import { fieldNames, productName } from '../model/names.ts'

import type { Report } from './quantities.ts'
import { isUuid } from './rules.ts'
import type { FileConfig } from './schema.ts'

const hourMs = 3_600_000

/** What is written of the mesh and its certificate authority holds by itself. Reference: configuration 6. */
export function checkConnect({ connect, ports }: FileConfig, problem: Report): void {
  checkRange('proxy', ports?.proxy_min_port ?? 20_000, ports?.proxy_max_port ?? 20_255, problem)
  checkRange('sidecar', ports?.sidecar_min_port ?? 21_000, ports?.sidecar_max_port ?? 21_255, problem)
  if (connect === undefined) return
  const { ca_provider: provider = '', proxy_defaults } = connect
  const builtIn = provider === '' || [productName, ...fieldNames].includes(provider)
  if (!builtIn && provider !== 'vault') {
    const remedy = `write ${productName} or vault`
    problem(`${provider} is not a valid CA provider`, remedy, 'connect.ca_provider')
  }
  const options = new Map(Object.entries(connect.ca_config ?? {}).map(([key, value]) => [camel(key), value]))
  checkCommon(options, problem)
  if (provider === 'vault') checkVault(options, problem)
  const mode = proxy_defaults?.exec_mode ?? ''
  if (!['', 'daemon', 'script'].includes(mode))
    problem(`connect.proxy_defaults.exec_mode cannot be ${JSON.stringify(mode)}`, 'write daemon or script')
}

function checkRange(name: string, min: number, max: number, problem: Report): void {
  if (max >= min) return
  const message = `${name}_min_port must be less than ${name}_max_port. To disable, set both to zero.`
  problem(message, 'correct one of the two', `ports.${name}_min_port`)
}

type Options = ReadonlyMap<string, unknown>
const at = 'connect.ca_config'

function checkCommon(options: Options, problem: Report): void {
  const leaf = durationOf(options, 'LeafCertTTL', problem)
  if (leaf !== undefined && leaf < hourMs) problem('leaf cert TTL must be greater than 1h', 'write 72h', at)
  if (leaf !== undefined && leaf > 8_760 * hourMs) problem('leaf cert TTL must be less than 8760h', 'write 72h', at)
  durationOf(options, 'RotationPeriod', problem)
  for (const key of ['PrivateKey', 'RootCert', 'ClusterID', 'Address', 'Token', 'RootPKIPath', 'IntermediatePKIPath']) {
    if (typeof (options.get(key) ?? '') !== 'string') problem(`connect.ca_config ${key} is no text`, 'write a text')
  }
  const cluster = options.get('ClusterID')
  if (typeof cluster === 'string' && cluster !== '' && !isUuid(cluster))
    problem(`connect.ca_config ClusterID ${JSON.stringify(cluster)} is not a UUID`, 'leave it out')
}

function checkVault(options: Options, problem: Report): void {
  const has = (key: string): boolean => (options.get(key) ?? '') !== ''
  if (!has('Token')) problem('must provide a Vault token', 'write token', at)
  if (!has('RootPKIPath')) problem('must provide a valid path to a root PKI backend', 'write root_pki_path', at)
  if (!has('IntermediatePKIPath'))
    problem('must provide a valid path for the intermediate PKI backend', 'write intermediate_pki_path', at)
}

function durationOf(options: Options, key: string, problem: Report): number | undefined {
  const given = options.get(key)
  if (given === undefined) return undefined
  const parsed = typeof given === 'string' ? parseDuration(given) : undefined
  if (parsed?.ok === true && parsed.value > 0) return parsed.value
  const why = parsed?.ok === false ? parsed.error : 'not a duration'
  problem(`connect.ca_config ${key} ${JSON.stringify(given)}: ${why}`, 'write one such as 72h')
  return undefined
}

/** `leaf_cert_ttl` is `LeafCertTTL`. */
function camel(key: string): string {
  const words = new Map([
    ['leaf_cert_ttl', 'LeafCertTTL'],
    ['root_pki_path', 'RootPKIPath'],
    ['intermediate_pki_path', 'IntermediatePKIPath'],
    ['cluster_id', 'ClusterID'],
  ])
  const known = words.get(key)
  if (known !== undefined) return known
  return key.replace(/(^|_)([a-z])/g, (_, _before: string, letter: string) => letter.toUpperCase())
}
