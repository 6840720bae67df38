import { z } from 'zod'
import { stateIndex } from '../contract/fields.ts'
import type { ProviderOptions } from './model.ts'
import type { SignerState } from './provider/provider.ts'

/** Schemas of the authority's state, in the log and in snapshots. */

/**
 * Maximum number of options in one configuration, and of characters in one option: certificates and keys are the
 * longest.
 */
export const optionsMax = 64
export const optionCharactersMax = 65_536

const optionName = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/)
const optionValue = z.union([z.string().max(optionCharactersMax), z.number(), z.boolean()])

export const options: z.ZodType<ProviderOptions> = z
  .record(optionName, optionValue)
  .refine((given) => Object.keys(given).length <= optionsMax, 'too many options')

/** Maximum number of certificates that come with one leaf, for every provider. */
const certificatesMax = 64

export const pemList = z.array(z.string()).max(certificatesMax).readonly()

/** A serial number: a decimal number that fits into 20 bytes. */
export const serial = z.string().regex(/^[0-9]{1,49}$/)

/** Wall clock time. */
export const moment = z.number()

/** The state of a provider; empty texts: no such state. */
export const keptState = { privateKeyPem: z.string(), rootCertificate: z.string() }

export interface KeptState {
  readonly privateKeyPem: string
  readonly rootCertificate: string
}

export function keptOf(state: SignerState): KeptState {
  return { privateKeyPem: state.privateKeyPem ?? '', rootCertificate: state.rootCertificate ?? '' }
}

export function signerStateOf({ privateKeyPem, rootCertificate }: KeptState): SignerState {
  return {
    ...(privateKeyPem === '' ? {} : { privateKeyPem }),
    ...(rootCertificate === '' ? {} : { rootCertificate }),
  }
}

/** The replicated content of a root certificate. */
export const certificateFacts = {
  id: z.string(),
  name: z.string(),
  serialNumber: serial,
  signingKeyId: z.string(),
  notBeforeMs: moment,
  notAfterMs: moment,
  certificate: z.string(),
  provider: z.string(),
}

/** A root as the leader got it from a provider: its certificate is parsed before it is replicated. */
export const rootFacts = {
  ...certificateFacts,
  /** The provider's own certificates between this root and its leaves. */
  ownIntermediates: pemList,
  /** When the first of them or the root expires. */
  chainEndMs: moment,
  ...keptState,
}

const facts = z.strictObject(rootFacts)
export type RootFacts = z.infer<typeof facts>

export const crossingFacts = { certificates: pemList, notBeforeMs: moment, notAfterMs: moment }

const crossing = z.strictObject(crossingFacts)
export type CrossingFacts = z.infer<typeof crossing>

export const stamps = { createIndex: stateIndex, modifyIndex: stateIndex }
