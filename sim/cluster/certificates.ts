import { invariant } from '../../src/base/invariant.ts'
import type { Pair } from '../../src/cli/files/certificate-files.ts'
import { makeAuthority, makeLeaf } from '../../src/cli/files/certificates.ts'
import type { Env } from '../../src/env/env.ts'
import { giveFiles } from './given-files.ts'
import type { NodeIdentity } from './node-identity.ts'

/** Directory of a machine's files: `ca.pem`, `cert.pem`, `key.pem`. */
const directory = '/tls'
const days = 365
const domain = 'svc'

/**
 * The certificate authority of a cluster, and the certificates that it has signed: files on the disks of its machines,
 * as an operator puts them there with `svc tls`. An agent's settings decide whether it uses them.
 */
export class Certificates {
  #authority: Pair | undefined

  /** Writes the files on a machine that has none yet. The first machine creates the certificate authority. */
  async install(env: Env, { kind, called, datacenter, host }: NodeIdentity): Promise<void> {
    const there = await env.disk.stat(`${directory}/key.pem`)
    if (there.ok) return
    this.#authority ??= made(makeAuthority(env, { title: 'Svc', days, domain, permittedDomains: undefined }))
    const names = { datacenter: called ?? datacenter, domain, dnsNames: [], addresses: [host] }
    const own = made(makeLeaf(env, { role: kind, days, ...names }, this.#authority))
    const files = { 'ca.pem': this.#authority.certificate, 'cert.pem': own.certificate, 'key.pem': own.key }
    await giveFiles(env, directory, new Map(Object.entries(files)))
  }
}

function made(pair: ReturnType<typeof makeAuthority>): Pair {
  invariant(pair.ok, 'what is asked for here can be signed')
  return pair.value
}
