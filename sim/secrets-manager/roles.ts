import type { Json } from '../../src/base/json.ts'
import { type KeyUsage, keyUsageNames } from '../../src/pki/extensions.ts'
import type { Members } from './answers.ts'
import { secondsOf } from './request-body.ts'

/** What a role of a PKI mount may sign. */
export interface Role {
  /** Seconds; 0: the mount's value. */
  readonly ttl: number
  readonly maxTtl: number
  readonly backSeconds: number
  readonly usesCsrName: boolean
  readonly requiresName: boolean
  readonly uses: readonly KeyUsage[]
  allowsUri(uri: string): boolean
  /** In the form of a read. */
  readonly shown: Members
}

const defaults: Members = {
  allow_any_name: false,
  allow_bare_domains: false,
  allow_glob_domains: false,
  allow_ip_sans: true,
  allow_localhost: true,
  allow_subdomains: false,
  allow_token_displayname: false,
  allowed_domains: [],
  allowed_other_sans: null,
  allowed_serial_numbers: [],
  allowed_uri_sans: [],
  basic_constraints_valid_for_non_ca: false,
  client_flag: true,
  code_signing_flag: false,
  country: [],
  email_protection_flag: false,
  enforce_hostnames: true,
  ext_key_usage: [],
  ext_key_usage_oids: [],
  generate_lease: false,
  key_bits: 2048,
  key_type: 'rsa',
  key_usage: ['DigitalSignature', 'KeyAgreement', 'KeyEncipherment'],
  locality: [],
  max_ttl: 0,
  no_store: false,
  not_before_duration: 30,
  organization: [],
  ou: [],
  policy_identifiers: [],
  postal_code: [],
  province: [],
  require_cn: true,
  server_flag: true,
  street_address: [],
  ttl: 0,
  use_csr_common_name: true,
  use_csr_sans: true,
}

/** The role in a request, or what is wrong with it. Unknown members are ignored. */
export function roleOf(body: Readonly<Record<string, Json>>): Role | string {
  const keyType = body['key_type'] ?? 'rsa'
  if (keyType !== 'rsa' && keyType !== 'ec' && keyType !== 'any') return `unknown key type ${String(keyType)}`
  const maxTtl = secondsOf(body['max_ttl'])
  if (maxTtl === undefined) {
    const given = String(body['max_ttl'])
    return `error converting input ${given} for field "max_ttl": time: invalid duration "${given}"`
  }
  const ttl = secondsOf(body['ttl']) ?? 0
  if (maxTtl > 0 && ttl > maxTtl) return '"ttl" value must be less than "max_ttl" value'
  const known = Object.entries(body).filter(([name]) => name in defaults)
  const allowed = listOf(body['allowed_uri_sans'])
  const lists = { allowed_uri_sans: allowed, allowed_domains: listOf(body['allowed_domains']) }
  const shown: Members = { ...defaults, ...Object.fromEntries(known), ...lists, max_ttl: maxTtl, ttl }
  return {
    ttl,
    maxTtl,
    backSeconds: secondsOf(shown['not_before_duration']) ?? 30,
    usesCsrName: shown['use_csr_common_name'] === true,
    requiresName: shown['require_cn'] === true,
    uses: usesOf(shown['key_usage']),
    allowsUri: (uri) => allowed.some((pattern) => fits(pattern, uri)),
    shown,
  }
}

function listOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : value.split(',')
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}

/** In the order of their bits; unknown ones are skipped. */
function usesOf(value: Json | undefined): readonly KeyUsage[] {
  const named = listOf(value).map((each) => each.toLowerCase())
  return keyUsageNames.filter((name) => named.includes(name.toLowerCase()))
}

/** `*` matches any text. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const [number, part] of rest.entries()) {
    if (number === rest.length - 1) return text.length - part.length >= at && text.endsWith(part)
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at === text.length
}
