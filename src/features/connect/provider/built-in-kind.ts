import { equalBytes } from '../../../base/bytes.ts'
import { productName, productTitle } from '../../../model/names.ts'
import { readCertificates } from '../../../pki/certificate.ts'
import type { ProviderOptions } from '../model.ts'
import { commonOptions, textOption } from '../options.ts'
import { BuiltInProvider, keyKindOf } from './built-in.ts'
import type { ProviderKind } from './provider.ts'

/** The options of a given root. */
const givenRoot = ['PrivateKey', 'RootCert'] as const

/** The provider that is built into the servers. Reference: mesh.md#provider-options. */
export const builtInKind: ProviderKind = {
  name: productName,
  title: productTitle,
  secretOptions: ['PrivateKey'],
  knownOptions: [...commonOptions, 'RotationPeriod', 'PrivateKey', 'RootCert'],
  problem,
  sameRoot,
  open: (env, options, mesh) => new BuiltInProvider(productName, env, options, mesh),
}

/**
 * Whether both options mean the same root. A given key has its own type. For a generated one the type counts, including
 * its default.
 */
function sameRoot(before: ProviderOptions, after: ProviderOptions): boolean {
  if (!givenRoot.every((name) => textOption(before, name) === textOption(after, name))) return false
  return textOption(after, 'PrivateKey') !== '' || keyKindOf(before) === keyKindOf(after)
}

function problem(options: ProviderOptions): string | undefined {
  const key = textOption(options, 'PrivateKey')
  const root = textOption(options, 'RootCert')
  if (keyKindOf(options) === undefined)
    return 'PrivateKeyType is ec with 256, 384 or 521 bits, or rsa with 2048 or 4096'
  if (key !== '' && !/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key)) {
    return 'error parsing private key: no PEM-encoded data found'
  }
  if (root === '') return undefined
  return key === '' ? 'RootCert needs the PrivateKey that it is of' : rootProblem(root)
}

function rootProblem(pem: string): string | undefined {
  const read = readCertificates(pem)
  if (!read.ok) return `RootCert: ${read.error}`
  const [root, second] = read.value
  if (root === undefined || second !== undefined) return 'RootCert: not one certificate'
  if (!root.authority) return 'RootCert: no certificate of an authority'
  if (root.pathLength !== undefined) return 'RootCert: a path length in it would keep rotations from leading back to it'
  return equalBytes(root.subject, root.issuer) ? undefined : 'RootCert: not a root, for another has signed it'
}
