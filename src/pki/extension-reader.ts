import { bytesOf } from '../base/bytes.ts'
import { type Der, readDerText, tags } from './der.ts'
import type { DerReader } from './der-reader.ts'
import { type KeyUsage, keyUsageNames } from './extensions.ts'
import { ids } from './object-ids.ts'

/** The extensions of a certificate, or of a request for one. RFC 5280, section 4.2. */
export interface ExtensionFacts {
  readonly subjectKeyId: Uint8Array | undefined
  readonly authorityKeyId: Uint8Array | undefined
  /** Whether the certificate may sign certificates. */
  readonly authority: boolean
  /** Maximum number of authorities between it and a leaf; undefined: any number. */
  readonly pathLength: number | undefined
  /** Undefined: the key may be used for everything that its kind allows. */
  readonly keyUsages: readonly KeyUsage[] | undefined
  /** `server`, `client`, `any`, or an object identifier. Undefined: for every use. */
  readonly extendedUses: readonly string[] | undefined
  readonly uris: readonly string[]
  readonly dnsNames: readonly string[]
  /** IP addresses, of 4 or 16 bytes. They are among the other names, too. */
  readonly addresses: readonly Uint8Array[]
  /** Number of other names of the subject: addresses, mail and the like. */
  readonly otherNames: number
  /** Object identifiers of unknown critical extensions: a certificate with one must not be trusted. */
  readonly unknownCritical: readonly string[]
}

/** Maximum number of extensions in one certificate. */
const extensionsMax = 32
/** Maximum number of names in one extension. */
const namesMax = 64
const usesMax = 32
/** Maximum length of key identifiers; those that other programs made have been up to 95 bytes long. */
const keyIdMax = 128
/** An empty list of names is refused elsewhere, too. */
const uriMax = 2_048

type Facts = { -readonly [K in keyof ExtensionFacts]: ExtensionFacts[K] }

const readers: Readonly<Record<string, (read: DerReader, value: Der, facts: Facts) => void>> = {
  [ids.subjectKeyId]: (read, value, facts) => {
    facts.subjectKeyId = keyId(read, read.text(value, tags.octets, 'subject key identifier'))
  },
  [ids.authorityKeyId]: (read, value, facts) => {
    const parts = read.parts(value, tags.sequence, 'authority key identifier')
    const id = parts.find(({ tag }) => tag === 0x80)
    if (id !== undefined) facts.authorityKeyId = keyId(read, id.content)
  },
  [ids.keyUsage]: (read, value, facts) => {
    const { bytes } = read.bits(value, 'key usage')
    const isSet = (at: number): boolean => ((bytes[at >> 3] ?? 0) & (0x80 >> (at & 7))) !== 0
    facts.keyUsages = keyUsageNames.filter((_, at) => isSet(at))
  },
  [ids.basicConstraints]: basicConstraints,
  [ids.extendedUses]: (read, value, facts) => {
    const uses = read.parts(value, tags.sequence, 'extended key usage')
    if (uses.length > usesMax || uses.length === 0) read.fail(`it must have 1 to ${usesMax} extended key usages`)
    facts.extendedUses = uses.slice(0, usesMax).map((use) => useName(read.objectId(use, 'extended key usage')))
  },
  [ids.subjectNames]: subjectNames,
}

/** Reads a list of extensions. Each may occur once. */
export function readExtensions(read: DerReader, list: readonly Der[]): ExtensionFacts {
  const facts: Facts = {
    subjectKeyId: undefined,
    authorityKeyId: undefined,
    authority: false,
    pathLength: undefined,
    keyUsages: undefined,
    extendedUses: undefined,
    uris: [],
    dnsNames: [],
    addresses: [],
    otherNames: 0,
    unknownCritical: [],
  }
  if (list.length > extensionsMax) read.fail(`it has more than ${extensionsMax} extensions`)
  const seen = new Set<string>()
  for (const each of list.slice(0, extensionsMax)) {
    const [first, ...rest] = read.parts(each, tags.sequence, 'extension')
    const id = read.objectId(first, 'extension')
    const isCritical = rest.length > 1 && read.yesOrNo(rest[0], "extension's criticality")
    const text = read.text(rest.at(-1), tags.octets, "extension's value")
    if (seen.has(id)) read.fail('it has the same extension twice')
    if (rest.length > 2) read.fail('it has an extension with too many fields')
    seen.add(id)
    const reader = readers[id]
    if (reader === undefined) {
      if (isCritical) facts.unknownCritical = [...facts.unknownCritical, id]
      continue
    }
    const value = readDerText(text)
    if (value.ok) reader(read, value.value, facts)
    else read.fail(`it has an extension that cannot be read: ${value.error}`)
  }
  return facts
}

function keyId(read: DerReader, text: string): Uint8Array {
  if (text.length === 0 || text.length > keyIdMax) read.fail(`its key identifier must be 1 to ${keyIdMax} bytes long`)
  return bytesOf(text)
}

function basicConstraints(read: DerReader, value: Der, facts: Facts): void {
  const parts = read.parts(value, tags.sequence, 'basic constraints')
  const isSaid = parts[0]?.tag === tags.boolean
  facts.authority = isSaid && read.yesOrNo(parts[0], 'basic constraints')
  const [length, more] = isSaid ? parts.slice(1) : parts
  if (more !== undefined) read.fail('its basic constraints have too many fields')
  if (length === undefined) return
  if (!facts.authority) read.fail('it has a path length, which only a certificate authority may have')
  facts.pathLength = Number(read.unsigned(length, 'path length', 2))
}

function useName(id: string): string {
  if (id === ids.serverUse) return 'server'
  if (id === ids.clientUse) return 'client'
  return id === ids.anyUse ? 'any' : id
}

function subjectNames(read: DerReader, value: Der, facts: Facts): void {
  const names = read.parts(value, tags.sequence, 'subject alternative names')
  if (names.length > namesMax || names.length === 0) {
    read.fail(`it must have 1 to ${namesMax} subject alternative names`)
  }
  const texts = (wanted: number): readonly string[] =>
    names.slice(0, namesMax).flatMap(({ tag, content }) => (tag === wanted ? [content] : []))
  facts.dnsNames = texts(0x82)
  facts.uris = texts(0x86)
  facts.addresses = texts(0x87).map(bytesOf)
  facts.otherNames = names.length - facts.dnsNames.length - facts.uris.length
  for (const name of [...facts.dnsNames, ...facts.uris]) {
    if (!/^[\x21-\x7e]*$/.test(name) || name.length > uriMax) {
      read.fail(`it has a subject alternative name that is not printable ASCII of at most ${uriMax} characters`)
    }
  }
}
