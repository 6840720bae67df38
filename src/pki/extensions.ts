import { utf8 } from '../base/bytes.ts'
import { around, bits, type Der, integer, objectId, octets, octetsOf, sequence, tagged, yes } from './der.ts'
import { ids } from './object-ids.ts'

/** In the order of their bits. RFC 5280, section 4.2.1.3. */
export const keyUsageNames = [
  'digitalSignature',
  'contentCommitment',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const
export type KeyUsage = (typeof keyUsageNames)[number]

export const usesOfAuthority: readonly KeyUsage[] = ['digitalSignature', 'keyCertSign', 'cRLSign']

function extension(id: string, value: Der, isCritical: boolean): Der {
  return sequence(objectId(id), ...(isCritical ? [yes] : []), octetsOf(value))
}

export function keyUsage(usages: readonly KeyUsage[]): Der {
  let flags = 0
  for (const each of usages) flags |= 0x8000 >> keyUsageNames.indexOf(each)
  // Trailing zeros are left out. X.690, section 11.2.2.
  const value = (flags & 0xff) === 0 ? Uint8Array.of(flags >> 8) : Uint8Array.of(flags >> 8, flags & 0xff)
  const last = value.at(-1) ?? 0
  const unused = last === 0 ? 0 : 31 - Math.clz32(last & -last)
  return extension(ids.keyUsage, bits(value, unused), true)
}

/** `pathLength`: maximum number of authorities between this one and a leaf; undefined: any number. A leaf has none. */
export function basicConstraints(authority: boolean, pathLength?: number): Der {
  const length = pathLength === undefined ? [] : [integer(Uint8Array.of(pathLength >> 8, pathLength & 0xff))]
  return extension(ids.basicConstraints, authority ? sequence(yes, ...length) : sequence(), true)
}

export function extendedUses(uses: readonly ('server' | 'client')[]): Der {
  const purposes = { server: ids.serverUse, client: ids.clientUse } as const
  return extension(ids.extendedUses, sequence(...uses.map((use) => objectId(purposes[use]))), false)
}

export function subjectKeyId(keyId: Uint8Array): Der {
  return extension(ids.subjectKeyId, octets(keyId), false)
}

export function authorityKeyId(keyId: Uint8Array): Der {
  return extension(ids.authorityKeyId, sequence(tagged(0, keyId)), false)
}

export interface SubjectNames {
  readonly dnsNames?: readonly string[]
  /** 4 or 16 bytes each. */
  readonly addresses?: readonly Uint8Array[]
  readonly uris?: readonly string[]
}

const dnsName = (name: string): Der => tagged(2, utf8(name))

export function subjectNames({ dnsNames = [], addresses = [], uris = [] }: SubjectNames): Der {
  const names = [
    ...dnsNames.map(dnsName),
    ...addresses.map((address) => tagged(7, address)),
    ...uris.map((uri) => tagged(6, utf8(uri))),
  ]
  return extension(ids.subjectNames, sequence(...names), false)
}

export function permittedNames(domains: readonly string[]): Der {
  const permitted = domains.map((domain) => sequence(dnsName(domain)))
  return extension(ids.nameConstraints, sequence(around(0, ...permitted)), true)
}
