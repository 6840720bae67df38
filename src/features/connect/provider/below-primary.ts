import { ok } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import { readCertificates } from '../../../pki/certificate.ts'
import { signLeaf } from '../../../pki/mesh-certificates.ts'
import { certificatePem } from '../../../pki/pem.ts'
import { publicKeyKindOf } from '../../../pki/public-key.ts'
import type { RootRow } from '../model.ts'
import type { SignerRow } from '../tables.ts'
import { builtInKind } from './built-in-kind.ts'
import type { Provider, ProviderKind } from './provider.ts'
import { refused } from './provider-failures.ts'

const notHere = 'roots are those of the primary datacenter'

/** The signer of a secondary datacenter: an authority below the root of the primary one. */
export function belowPrimary(
  env: Env,
  root: RootRow,
  { privateKeyPem, ownIntermediates }: SignerRow,
): { readonly kind: ProviderKind; readonly provider: Provider } {
  const provider: Provider = {
    name: builtInKind.name,
    root: async () => ok({ certificate: root.certificate, intermediates: ownIntermediates, state: { privateKeyPem } }),
    signLeaf: async (wish) => {
      const key = env.crypto.readSigningKey(privateKeyPem)
      const read = readCertificates(ownIntermediates[0] ?? '')
      const [certificate] = read.ok ? read.value : []
      const keyKind = publicKeyKindOf(wish.publicKey)
      if (key === undefined || certificate === undefined)
        return refused('the authority of this datacenter cannot be read')
      if (keyKind === 'unknown') return refused('the key of the request is of a kind that is not known')
      const { publicKey, commonName, spiffeId: uri, serial, notBeforeMs, notAfterMs } = wish
      const term = { serial: BigInt(serial), notBeforeMs, notAfterMs }
      const leaf = signLeaf(env.crypto, { key, certificate }, { publicKey, keyKind, commonName, uri, ...term })
      return ok({ certificate: certificatePem(leaf), serial, notAfterMs })
    },
    crossSign: async () => refused(notHere),
    signIntermediate: async () => refused(notHere),
    close: () => {},
  }
  return { kind: builtInKind, provider }
}
